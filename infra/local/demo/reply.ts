/** What the demo provider answers. The same prompt gets the same words, and tokens are counted as a provider counts. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** A request's JSON body. */
export type DemoBody = Record<string, unknown>;

/** Answers one request of one protocol; a stream with a pause before each word. */
export type Responder = (body: DemoBody, response: ServerResponse, pauseMs: number) => Promise<void>;

export interface DemoReply {
  words: string[];
  /** Whether it ended at the limit on output tokens. */
  isCut: boolean;
  input_tokens: number;
  output_tokens: number;
}

/** A token is about four bytes of English. */
const bytesPerToken = 4;

/**
 * Composes the answer to the last of these turns, or to a text. `prompt` is all input, of which the tokens are counted.
 * The first of the `limits` on output tokens that is a number counts.
 */
export function composeReply(prompt: unknown, turns: unknown, ...limits: unknown[]): DemoReply {
  const said = lastTextOf(turns).replace(/\s+/g, " ").trim();
  const tokensMax = limits.find((value) => typeof value === "number") ?? Number.POSITIVE_INFINITY;
  const quote = said.length > 80 ? `${said.slice(0, 79)}…` : said;
  const answer =
    `Hello from the demo provider! You said: "${quote}". ` +
    "No model was asked, but everything else is real: this call was admitted, streamed, metered and booked. " +
    "Set a provider's key in the environment and start again to talk to a real model.";
  const whole = answer.split(/(?<= )/);
  const words: string[] = [];
  for (const word of whole) {
    if (tokensOf([...words, word].join("")) > tokensMax) break;
    words.push(word);
  }
  return {
    words,
    isCut: words.length < whole.length,
    input_tokens: tokensOf(JSON.stringify(prompt ?? "")),
    output_tokens: tokensOf(words.join("")),
  };
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** The text of a message's content: a string, or the text parts of a list. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : ""))
    .join(" ");
}

/** The text of the last turn in a list of them; a text itself. Gemini's turns have parts, and all others content. */
export function lastTextOf(turns: unknown): string {
  if (!Array.isArray(turns)) return textOf(turns);
  const last = turns.at(-1) as { content?: unknown; parts?: unknown } | undefined;
  return textOf(last?.content ?? last?.parts);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Events, in any frames. */
interface DemoEvents<Event extends string | Buffer> {
  first: Event[];
  words: Event[];
  last: Event[];
  pauseMs: number;
  /** Of the stream. Absent: server-sent events. */
  type?: string;
}

/** Sends the first events, one event after each pause, and the last events. Ends early when the client goes away. */
export async function sendEvents<Event extends string | Buffer>(
  response: ServerResponse,
  parts: DemoEvents<Event>,
): Promise<void> {
  response.writeHead(200, {
    "content-type": parts.type ?? "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  response.write(joined(parts.first));
  for (const event of parts.words) {
    await sleep(parts.pauseMs);
    if (response.destroyed) return;
    response.write(event);
  }
  response.end(joined(parts.last));
}

function joined(events: (string | Buffer)[]): Buffer {
  return Buffer.concat(events.map((event) => Buffer.from(event)));
}
