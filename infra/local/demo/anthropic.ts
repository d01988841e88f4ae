/** The demo provider's messages. */
import {
  composeReply,
  type DemoBody,
  type DemoReply,
  type Responder,
  sendEvents,
  sendJson,
} from "./reply.ts";

/** An event of a stream, as JSON. */
type Event = { type: string } & DemoBody;

/** `POST /v1/messages`. */
export const messages: Responder = async (body, response, pauseMs) => {
  if (body.stream !== true) return sendJson(response, 200, messageOf(body));
  const { first, words, last } = eventsOf(body);
  await sendEvents(response, {
    first: first.map(frameOf),
    words: words.map(frameOf),
    last: last.map(frameOf),
    pauseMs,
  });
};

/** The whole message that answers a body. */
export function messageOf(body: DemoBody): DemoBody {
  const { head, usage, stop_reason, words, output_tokens } = openingOf(body);
  const content = [{ type: "text", text: words.join("") }];
  return { ...head, content, stop_reason, stop_sequence: null, usage: { ...usage, output_tokens } };
}

/** The events that answer a body: those before the words, the words, and those behind them. */
export function eventsOf(body: DemoBody): Record<"first" | "words" | "last", Event[]> {
  const { head, usage, stop_reason, words, output_tokens } = openingOf(body);
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null };
  return {
    first: [
      { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "ping" },
    ],
    words: words.map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    })),
    last: [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } },
      { type: "message_stop" },
    ],
  };
}

function openingOf(body: DemoBody) {
  const { words, isCut, input_tokens, output_tokens } = replyTo(body);
  return {
    head: { id: "msg_demo", type: "message", role: "assistant", model: body.model },
    usage: { input_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    stop_reason: isCut ? "max_tokens" : "end_turn",
    words,
    output_tokens,
  };
}

/** `POST /v1/messages/count_tokens`. */
export const countTokens: Responder = async (body, response) => {
  sendJson(response, 200, { input_tokens: replyTo(body).input_tokens });
};

/** What answers a body, with the counts of its tokens. */
export function replyTo({ system, messages, tools, max_tokens }: DemoBody): DemoReply {
  return composeReply({ system, messages, tools }, messages, max_tokens);
}

function frameOf(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
