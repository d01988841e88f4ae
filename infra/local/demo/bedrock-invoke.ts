/**
 * The demo provider's InvokeModel with Anthropic's body, its stream, and CountTokens (AWS, "Anthropic Claude Messages
 * API", "InvokeModelWithResponseStream" and "CountTokens").
 */
import type { ServerResponse } from "node:http";
import { eventStreamType } from "#shared/base/sse/event-message.ts";
import { eventsOf, messageOf, replyTo } from "./anthropic.ts";
import { claudeAt } from "./claude-name.ts";
import { eventOf } from "./event-stream.ts";
import { composeReply, type DemoBody, type Responder, sendEvents, sendJson } from "./reply.ts";

/** What InvokeModel tells of a call in headers, and in the last event of a stream. */
interface InvocationMetrics {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Model, stream and betas stand elsewhere than at Anthropic, and two members are not known (coder/aibridge#226). */
const strange = ["model", "stream", "metadata", "service_tier"];

/** What Bedrock says of a body that it refuses; undefined for one that it takes. */
function refusalOf(body: DemoBody): string | undefined {
  const extra = strange.find((name) => body[name] !== undefined);
  if (body.anthropic_version !== "bedrock-2023-05-31") return "anthropic_version: Field required";
  if (body.max_tokens === undefined) return "max_tokens: Field required";
  if (body.anthropic_beta !== undefined && !Array.isArray(body.anthropic_beta))
    return "anthropic_beta: Input should be a valid list";
  return extra && `${extra}: Extra inputs are not permitted`;
}

function refuse(response: ServerResponse, message: string): void {
  sendJson(response, 400, { message }, { "x-amzn-errortype": "ValidationException" });
}

function metricsOf(body: DemoBody): InvocationMetrics {
  const { input_tokens, output_tokens } = replyTo(body);
  return { input: input_tokens, output: output_tokens, cacheRead: 0, cacheWrite: 0 };
}

/** `POST /model/{model}/invoke`. */
export const invoke =
  (model: string): Responder =>
  async (body, response) => {
    const refusal = refusalOf(body);
    if (refusal !== undefined) return refuse(response, refusal);
    const { input, output, cacheRead, cacheWrite } = metricsOf(body);
    sendJson(response, 200, messageOf({ ...body, model: claudeAt(model) }), {
      "x-amzn-bedrock-invocation-latency": "1",
      "x-amzn-bedrock-input-token-count": String(input),
      "x-amzn-bedrock-output-token-count": String(output),
      "x-amzn-bedrock-cache-read-input-token-count": String(cacheRead),
      "x-amzn-bedrock-cache-write-input-token-count": String(cacheWrite),
    });
  };

/** `POST /model/{model}/invoke-with-response-stream`: each event is the payload of a message, as base64. */
export const invokeWithResponseStream =
  (model: string): Responder =>
  async (body, response, pauseMs) => {
    const refusal = refusalOf(body);
    if (refusal !== undefined) return refuse(response, refusal);
    const { input, output, cacheRead, cacheWrite } = metricsOf(body);
    const { first, words, last } = eventsOf({ ...body, model: claudeAt(model) });
    const end = {
      ...last.pop(),
      "amazon-bedrock-invocationMetrics": {
        inputTokenCount: input,
        outputTokenCount: output,
        invocationLatency: 1,
        firstByteLatency: 1,
        cacheReadInputTokenCount: cacheRead,
        cacheWriteInputTokenCount: cacheWrite,
      },
    };
    await sendEvents(response, {
      first: first.filter(({ type }) => type !== "ping").map(chunkOf),
      words: words.map(chunkOf),
      last: [...last, end].map(chunkOf),
      pauseMs,
      type: eventStreamType,
    });
  };

/** A chunk of a stream. Its padding hides from who listens how long a word is. */
function chunkOf(event: object): Buffer {
  const text = JSON.stringify(event);
  const bytes = Buffer.from(text).toString("base64");
  return eventOf("chunk", { bytes, p: "abcdefghijklmnopqrstuvwxyz".slice(0, 1 + (text.length % 26)) });
}

/** `POST /model/{model}/count-tokens`. It knows models alone, and neither profiles across regions nor ARNs. */
export const countTokens =
  (model: string): Responder =>
  async ({ input }, response) => {
    const { invokeModel, converse } = (input ?? {}) as Record<string, DemoBody | undefined>;
    if (!/^[a-z]+\.(?!anthropic)[a-z\d][\w.:-]+$/.test(model) || /^(?:us|eu|global|apac)\./.test(model))
      return refuse(response, "The provided model doesn't support counting tokens.");
    const body = invokeModel ? bodyIn(invokeModel.body) : undefined;
    const refusal = body && refusalOf(body);
    if (refusal !== undefined) return refuse(response, refusal);
    const { system, messages, toolConfig } = converse ?? {};
    const reply = body ? replyTo(body) : converse && composeReply({ system, messages, toolConfig }, messages);
    if (!reply) return refuse(response, "input: exactly one of invokeModel and converse is required");
    sendJson(response, 200, { inputTokens: reply.input_tokens });
  };

function bodyIn(base64: unknown): DemoBody | undefined {
  try {
    return JSON.parse(Buffer.from(String(base64), "base64").toString("utf8")) as DemoBody;
  } catch {
    return undefined;
  }
}
