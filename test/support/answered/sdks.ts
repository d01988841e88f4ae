/** The vendors' own SDKs, each of whose requests is answered with the next answer. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

/** The answer that the next request of any SDK gets. */
let next: { bytes: Buffer; type: string } = { bytes: Buffer.alloc(0), type: "" };

const fetchNext = async (): Promise<Response> =>
  new Response(new Uint8Array(next.bytes), { status: 200, headers: { "content-type": next.type } });

/** The same for an SDK that has no fetch. */
export const nextAnswer = () => next;

/** Google's SDK takes no fetch of one's own. Gives what takes the answers away again. */
export function serveAnswers(): () => void {
  const before = globalThis.fetch;
  globalThis.fetch = fetchNext;
  return () => {
    globalThis.fetch = before;
  };
}

export function answering<Read>(read: () => Promise<Read>, type: string): (bytes: Buffer) => Promise<Read> {
  return (bytes) => {
    next = { bytes, type };
    return read();
  };
}

const options = { apiKey: "k", baseURL: "http://sdk.test/v1", fetch: fetchNext, maxRetries: 0 };
export const openai = new OpenAI(options);
export const claude = new Anthropic({ ...options, baseURL: "http://sdk.test" });
export const google = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: "http://sdk.test" } });

export const json = "application/json";
export const sse = "text/event-stream";

export const parameters = { type: "object", properties: {} };
export const hello = [{ role: "user" as const, content: "Hello" }];

export function argsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
