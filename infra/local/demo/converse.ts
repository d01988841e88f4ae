/** The demo provider's Converse, as Bedrock serves it. */
import { eventStreamType } from "#shared/base/sse/event-message.ts";
import { eventOf } from "./event-stream.ts";
import { composeReply, type DemoBody, type Responder, sendEvents, sendJson } from "./reply.ts";

/** `POST /model/{model}/converse`. */
export const converse: Responder = async (body, response) => {
  const { text, ...told } = replyTo(body);
  sendJson(response, 200, {
    output: { message: { role: "assistant", content: [{ text: text.join("") }] } },
    ...told,
  });
};

/** `POST /model/{model}/converse-stream`. */
export const converseStream: Responder = async (body, response, pauseMs) => {
  const { text, stopReason, ...metadata } = replyTo(body);
  await sendEvents(response, {
    first: [eventOf("messageStart", { role: "assistant" })],
    words: text.map((word) => eventOf("contentBlockDelta", { contentBlockIndex: 0, delta: { text: word } })),
    last: [
      eventOf("contentBlockStop", { contentBlockIndex: 0 }),
      eventOf("messageStop", { stopReason }),
      eventOf("metadata", metadata),
    ],
    pauseMs,
    type: eventStreamType,
  });
};

/** Whatever tier and latency a call asks for is taken. */
function replyTo({
  system,
  messages,
  toolConfig,
  inferenceConfig,
  serviceTier,
  performanceConfig,
}: DemoBody) {
  const { maxTokens } = (inferenceConfig ?? {}) as DemoBody;
  const reply = composeReply({ system, messages, toolConfig }, messages, maxTokens);
  const { input_tokens: inputTokens, output_tokens: outputTokens } = reply;
  return {
    text: reply.words,
    stopReason: reply.isCut ? "max_tokens" : "end_turn",
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    metrics: { latencyMs: 1 },
    ...(serviceTier !== undefined && { serviceTier }),
    ...(performanceConfig !== undefined && { performanceConfig }),
  };
}
