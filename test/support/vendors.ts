/**
 * A provider of each protocol, written from the vendors' documentation (protocols.md §1–3) and importing
 * nothing of the product. All say the same: "Hello there", and, when the request has tools, a call of the first
 * one, until its result is there. A schema without tools is answered with `toolArguments`. All report the same usage
 * in their own counting. A model named `too-long` is refused as one whose context the request does not fit.
 * A model that is named as a real one is refused what the real one refuses (`strictness.ts`).
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refusalAt } from "#infra/local/demo/strictness.ts";
import { tooLong } from "./too-long.ts";
import { answerAt, isStreamed, type Json } from "./vendor-answers.ts";

/** What every provider of these tests uses: 20 new input tokens, 10 from the cache, 7 of output. */
export const spent = { input_tokens: 20, cache_read_tokens: 10, cache_write_tokens: 0, output_tokens: 7 };
export const words = ["Hello", " there"];
export const toolArguments = '{"city":"Paris"}';

export interface Vendors {
  url: string;
  /** Bodies received, by path. */
  requests: { path: string; headers: Record<string, string | string[] | undefined>; body: Json }[];
  stop(): Promise<void>;
}

/** The name of the first tool of a request, in any of the four protocols; Gemini takes both spellings of its fields. */
function toolOf(body: Json): string | undefined {
  const [tool] = (body.tools as Json[] | undefined) ?? [];
  const declared = tool?.functionDeclarations ?? tool?.function_declarations;
  const named = tool?.function ?? (declared as Json[] | undefined)?.[0] ?? tool;
  return (named as Json | undefined)?.name as string | undefined;
}

/** Whether the last turn of a request brings the result of a tool. */
function hasResult(body: Json): boolean {
  const turns = (body.messages ?? body.input ?? body.contents) as Json[] | undefined;
  const last = JSON.stringify((Array.isArray(turns) ? turns.at(-1) : undefined) ?? {});
  return /"role":"tool"|"tool_result"|"functionResponse"|"function_response"|"function_call_output"/.test(
    last,
  );
}

/** Whether a request wants its answer by a schema, or as any JSON. */
function hasSchema(body: Json): boolean {
  return /"json_schema"|"json_object"|"responseJsonSchema"|"responseSchema"/.test(JSON.stringify(body));
}

function answerTo(path: string, body: Json): Json | string[] | undefined {
  const name = hasResult(body) ? undefined : toolOf(body);
  const texts = !name && hasSchema(body) ? [toolArguments] : words;
  const used = { input: spent.input_tokens, cached: spent.cache_read_tokens, output: spent.output_tokens };
  const call = name === undefined ? {} : { call: { name, arguments: toolArguments } };
  return answerAt(path, { texts, ...call, used, stream: isStreamed(path, body) });
}

/** Starts all four on one port. Without `refuses` they take whatever a model with a real name is asked. */
export async function startVendors({ refuses = true } = {}): Promise<Vendors> {
  const requests: Vendors["requests"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Json;
    const path = request.url ?? "";
    requests.push({ path, headers: request.headers, body });
    const isTooLong = body.model === "too-long" || path.includes("/too-long:");
    const refusal = isTooLong
      ? { status: 400, body: tooLong(path) }
      : refuses && refusalAt(path, body, request.headers);
    if (refusal) response.writeHead(refusal.status, jsonType).end(JSON.stringify(refusal.body));
    else respond(response, answerTo(path, body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const jsonType = { "content-type": "application/json" };

function respond(response: ServerResponse, answer: Json | string[] | undefined): void {
  if (!answer) {
    response.writeHead(404).end("{}");
  } else if (Array.isArray(answer)) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of answer) response.write(frame);
    response.end();
  } else {
    response.writeHead(200, jsonType).end(JSON.stringify(answer));
  }
}
