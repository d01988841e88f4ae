/** The demo provider's chat completions. */
import { composeReply, type DemoReply, type Responder, sendEvents, sendJson } from "./reply.ts";

/** `POST /chat/completions`. */
export const chatCompletions: Responder = async (body, response, pauseMs) => {
  const { model, messages, tools, stream } = body;
  const reply = composeReply({ messages, tools }, messages, body.max_completion_tokens, body.max_tokens);
  const head = { id: "chatcmpl-demo", created: Math.floor(Date.now() / 1000), model };
  if (stream !== true) {
    const message = { role: "assistant", content: reply.words.join(""), refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(reply) }];
    return sendJson(response, 200, { ...head, object: "chat.completion", choices, usage: usageOf(reply) });
  }
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
  const delta = (content: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: content, finish_reason }] });
  const wantsUsage = (body.stream_options as { include_usage?: unknown } | undefined)?.include_usage === true;
  await sendEvents(response, {
    first: [delta({ role: "assistant", content: "" })],
    words: reply.words.map((content) => delta({ content })),
    last: [
      delta({}, finishOf(reply)),
      ...(wantsUsage ? [chunk({ choices: [], usage: usageOf(reply) })] : []),
      "data: [DONE]\n\n",
    ],
    pauseMs,
  });
};

const finishOf = ({ isCut }: DemoReply) => (isCut ? "length" : "stop");

function usageOf({ input_tokens, output_tokens }: DemoReply) {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: 0 },
  };
}
