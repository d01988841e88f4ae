/** The demo provider's messages. */
import {
  composeReply,
  type DemoBody,
  type DemoReply,
  type Responder,
  sendEvents,
  sendJson,
} from "./reply.ts";

/** `POST /v1/messages`. */
export const messages: Responder = async (body, response, pauseMs) => {
  const reply = replyTo(body);
  const { input_tokens, output_tokens } = reply;
  const usage = { input_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const stop_reason = reply.isCut ? "max_tokens" : "end_turn";
  const message = { id: "msg_demo", type: "message", role: "assistant", model: body.model };
  if (body.stream !== true) {
    const content = [{ type: "text", text: reply.words.join("") }];
    const end = { stop_reason, stop_sequence: null, usage: { ...usage, output_tokens } };
    return sendJson(response, 200, { ...message, content, ...end });
  }
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null };
  await sendEvents(response, {
    first: [
      event({ type: "message_start", message: { ...start, usage: { ...usage, output_tokens: 1 } } }),
      event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      event({ type: "ping" }),
    ],
    words: reply.words.map((text) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    ),
    last: [
      event({ type: "content_block_stop", index: 0 }),
      event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } }),
      event({ type: "message_stop" }),
    ],
    pauseMs,
  });
};

/** `POST /v1/messages/count_tokens`. */
export const countTokens: Responder = async (body, response) => {
  sendJson(response, 200, { input_tokens: replyTo(body).input_tokens });
};

function replyTo({ system, messages, tools, max_tokens }: DemoBody): DemoReply {
  return composeReply({ system, messages, tools }, messages, max_tokens);
}

function event(body: { type: string } & Record<string, unknown>): string {
  return `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
}
