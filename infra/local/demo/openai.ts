/** The demo provider's chat completions. */
import type { ServerResponse } from "node:http";
import {
  composeReply,
  type DemoBody,
  type DemoReply,
  type Responder,
  sendEvents,
  sendJson,
} from "./reply.ts";

/** `POST /chat/completions`. */
export const chatCompletions: Responder = async (body, response, pauseMs) =>
  complete(body, response, pauseMs, { of_prompt: {}, of_answer: {}, first: [] });

/** The same of an Azure deployment. It rates questions and answers ("Content filtering"). */
export const ratedCompletions: Responder = async (body, response, pauseMs) => {
  const safe = { filtered: false, severity: "safe" };
  const content_filter_results = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
  const of_prompt = { prompt_filter_results: [{ prompt_index: 0, content_filter_results }] };
  // A stream begins with the ratings of the prompt, in a chunk that names nothing else.
  const opening = { choices: [], created: 0, id: "", model: "", object: "", ...of_prompt };
  const first = [`data: ${JSON.stringify(opening)}\n\n`];
  await complete(body, response, pauseMs, { of_prompt, of_answer: { content_filter_results }, first });
};

/** What a host says of the harm in a call. */
interface Ratings {
  of_prompt: object;
  of_answer: object;
  first: string[];
}

async function complete(
  body: DemoBody,
  response: ServerResponse,
  pauseMs: number,
  { of_prompt, of_answer, first }: Ratings,
): Promise<void> {
  const { model, messages, tools, stream } = body;
  const reply = composeReply({ messages, tools }, messages, body.max_completion_tokens, body.max_tokens);
  const head = { id: "chatcmpl-demo", created: Math.floor(Date.now() / 1000), model };
  if (stream !== true) {
    const message = { role: "assistant", content: reply.words.join(""), refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(reply), ...of_answer }];
    const whole = { ...head, object: "chat.completion", choices, ...of_prompt, usage: usageOf(reply) };
    return sendJson(response, 200, whole);
  }
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
  const delta = (content: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: content, finish_reason, ...of_answer }] });
  const wantsUsage = (body.stream_options as { include_usage?: unknown } | undefined)?.include_usage === true;
  await sendEvents(response, {
    first: [...first, delta({ role: "assistant", content: "" })],
    words: reply.words.map((content) => delta({ content })),
    last: [
      delta({}, finishOf(reply)),
      ...(wantsUsage ? [chunk({ choices: [], usage: usageOf(reply) })] : []),
      "data: [DONE]\n\n",
    ],
    pauseMs,
  });
}

const finishOf = ({ isCut }: DemoReply) => (isCut ? "length" : "stop");

function usageOf({ input_tokens, output_tokens }: DemoReply) {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: 0 },
  };
}
