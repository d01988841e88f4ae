/** An answer of Responses with ids of every kind, whole and as a stream. */
import { namedFrame } from "./scenario.ts";

export const answer = {
  id: "resp_1",
  object: "response",
  status: "completed",
  previous_response_id: "resp_0",
  metadata: { id: "mine", file_id: "mine" },
  model: "m",
  output: [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e" },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [
        {
          type: "output_text",
          text: 'He wrote {"id":"msg_1"}.',
          annotations: [{ type: "container_file_citation", container_id: "cntr_1", file_id: "cfile_1" }],
        },
      ],
    },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: '{"id":"1"}' },
    { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", code: "1" },
  ],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};
const item = answer.output[1];
const events = [
  { type: "response.created", response: { ...answer, status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item },
  ...Array.from({ length: 3 }, () => ({ type: "response.output_text.delta", item_id: "msg_1", delta: "Hi" })),
  { type: "response.output_item.done", output_index: 0, item },
  { type: "response.completed", response: answer },
];
export const stream = events.map((event) => namedFrame(event)).join("");
