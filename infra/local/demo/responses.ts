/** The demo provider's Responses. */
import { composeReply, type DemoReply, type Responder, sendEvents, sendJson } from "./reply.ts";

/** `POST /responses`. */
export const responses: Responder = async (body, response, pauseMs) => {
  const { model, input, instructions, tools, stream } = body;
  const reply = composeReply({ input, instructions, tools }, input, body.max_output_tokens);
  const text = (words: string) => ({ type: "output_text", text: words, annotations: [] });
  const whole = reply.words.join("");
  const message = (status: string, content: object[]) => {
    return { id: "msg_demo", type: "message", role: "assistant", status, content };
  };
  const result = (status: string, output: object[], ending: object = {}) => ({
    id: "resp_demo",
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status,
    error: null,
    incomplete_details: null,
    model,
    output,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    ...ending,
  });
  const done = result(
    reply.isCut ? "incomplete" : "completed",
    [message("completed", [text(whole)])],
    endingOf(reply),
  );
  if (stream !== true) return sendJson(response, 200, done);
  let sequence_number = 0;
  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...fields })}\n\n`;
  const at = { item_id: "msg_demo", output_index: 0, content_index: 0 };
  await sendEvents(response, {
    first: [
      event("response.created", { response: result("in_progress", []) }),
      event("response.in_progress", { response: result("in_progress", []) }),
      event("response.output_item.added", { output_index: 0, item: message("in_progress", []) }),
      event("response.content_part.added", { ...at, part: text("") }),
    ],
    words: reply.words.map((delta) => event("response.output_text.delta", { ...at, delta })),
    last: [
      event("response.output_text.done", { ...at, text: whole }),
      event("response.content_part.done", { ...at, part: text(whole) }),
      event("response.output_item.done", { output_index: 0, item: message("completed", [text(whole)]) }),
      event(reply.isCut ? "response.incomplete" : "response.completed", { response: done }),
    ],
    pauseMs,
  });
};

function endingOf({ isCut, input_tokens, output_tokens }: DemoReply): object {
  return {
    ...(isCut ? { incomplete_details: { reason: "max_output_tokens" } } : {}),
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
  };
}
