/** A provider that answers in a vendor's dialect. It is written from the facts (`facts-models.ts` and the others) and imports nothing of the product. */
import type { ServerResponse } from "node:http";
import type { Json } from "#test/support/vendor-answers.ts";
import type { Dialect, Failure, Report } from "./dialect.ts";

export const thought = "Paris, they ask.";
export const words = ["It is", " sunny."];
export const callArguments = '{"city":"Paris"}';
/** What OpenRouter signs reasoning of Claude with. */
export const signed = "EqQBCgIYAhIkSIGNEDBYCLAUDE";

/** What is answered: words, or a call of a tool. */
interface Played {
  report: Report;
  calls?: string;
}

const head = { id: "gen-1", created: 1_770_000_000, model: "upstream" };

/** The members of a message, or of a delta, that bring the reasoning and the words. */
function saying({ reasoningAt }: Dialect, text: string): Json {
  const detail = {
    type: "reasoning.text",
    text: thought,
    signature: signed,
    format: "anthropic-claude-v1",
    index: 0,
  };
  switch (reasoningAt) {
    case "reasoning_content":
    case "reasoning":
      return { content: text, [reasoningAt]: thought };
    case "details":
      return { content: text, reasoning: thought, reasoning_details: [detail] };
    case "thinking_parts":
      return { content: [thinkingPart, ...(text === "" ? [] : [{ type: "text", text }])] };
    case "think_tags":
      return { content: `<think>\n${thought}\n</think>\n\n${text}` };
    default:
      return { content: text };
  }
}

export const thinkingPart = { type: "thinking", thinking: [{ type: "text", text: thought }] };

/** The deltas in which a stream brings the same: the reasoning first, and then the words in pieces. */
function deltasOf(dialect: Dialect, texts: readonly string[]): Json[] {
  const { reasoningAt } = dialect;
  const { content, ...reasoning } = saying(dialect, "");
  const first: Json[] =
    reasoningAt === undefined ? [] : [{ ...reasoning, content: content === "" ? null : content }];
  return [...first, ...texts.map((text) => ({ content: text }))];
}

const toolCall = ({ callId }: Dialect, name: string) => ({
  id: callId,
  type: "function",
  function: { name, arguments: callArguments },
});

/** A whole answer. */
export function whole(dialect: Dialect, { report, calls }: Played): Json {
  const message = {
    role: "assistant",
    ...saying(dialect, calls === undefined ? words.join("") : ""),
    ...(calls !== undefined && { tool_calls: [toolCall(dialect, calls)] }),
  };
  const finish_reason = calls === undefined ? "stop" : "tool_calls";
  return {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason }],
    usage: report.usage,
    ...dialect.beside,
  };
}

/** The frames of a stream. `asksUsage` is whether the request has `stream_options.include_usage`. */
export function frames(dialect: Dialect, { report, calls }: Played, asksUsage: boolean): string[] {
  const { usageAt, beside } = dialect;
  const { usage } = report;
  const every = usageAt === "every_chunk" ? { usage } : {};
  const chunk = (delta: Json, finish_reason: string | null = null, more: Json = {}, inChoice: Json = {}) => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason, ...inChoice }],
    ...beside,
    ...every,
    ...more,
  });
  const call =
    calls === undefined ? [] : [chunk({ tool_calls: [{ index: 0, ...toolCall(dialect, calls) }] })];
  const finish = calls === undefined ? "stop" : "tool_calls";
  const last = chunk(
    { content: "" },
    finish,
    {
      ...(usageAt === "finish_chunk" && { usage }),
      ...(usageAt === "x_groq" && { x_groq: { id: "req_1", usage } }),
    },
    usageAt === "choice" ? { usage } : {},
  );
  const own = { ...head, object: "chat.completion.chunk", choices: [], usage };
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...deltasOf(dialect, calls === undefined ? words : []).map((delta) => chunk(delta)),
    ...call,
    last,
    ...(usageAt === "last_chunk" || (usageAt === "asked_chunk" && asksUsage) ? [own] : []),
  ];
  return [
    ...(dialect.comments ?? []),
    ...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`),
    "data: [DONE]\n\n",
  ];
}

/** Answers a request of this body. */
export function play(dialect: Dialect, played: Played, body: Json, response: ServerResponse): void {
  if (body.stream === true) {
    const options = body.stream_options as Json | undefined;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(frames(dialect, played, options?.include_usage === true).join(""));
  } else {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(whole(dialect, played)));
  }
}

export function fail({ status, headers, body }: Failure, response: ServerResponse): void {
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/html" : "application/json", ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
