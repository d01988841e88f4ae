/** What vendors answer in their own protocols, as the bench plays them: a stream of each, and the same text whole. */
import type { ProtocolName } from "#shared/base/http/routes.ts";

export const chunksPerStream = 100;
const word = "streamed ";

const frame = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: { type: string; [field: string]: unknown }) => `event: ${data.type}\n${frame(data)}`;
const each = <Item>(make: () => Item): Item[] => Array.from({ length: chunksPerStream }, make);

/** A stream of `chunksPerStream` words in each protocol, a piece for each frame (protocols.md §1–3). */
export const vendorStreams = {
  "openai-chat": [
    ...each(() =>
      frame({
        id: "c",
        object: "chat.completion.chunk",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta: { content: word }, finish_reason: null }],
      }),
    ),
    frame({ id: "c", created: 1, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
    frame({
      id: "c",
      created: 1,
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: chunksPerStream },
    }),
    "data: [DONE]\n\n",
  ],
  "openai-responses": [
    named({ type: "response.created", response: { id: "r", created_at: 1, output: [] } }),
    named({
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "m", type: "message", role: "assistant", content: [] },
    }),
    named({
      type: "response.content_part.added",
      item_id: "m",
      output_index: 0,
      content_index: 0,
      part: { type: "output_text", text: "" },
    }),
    ...each(() =>
      named({
        type: "response.output_text.delta",
        item_id: "m",
        output_index: 0,
        content_index: 0,
        delta: word,
      }),
    ),
    named({
      type: "response.completed",
      response: {
        id: "r",
        created_at: 1,
        status: "completed",
        output: [
          {
            id: "m",
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: word.repeat(chunksPerStream) }],
          },
        ],
        usage: { input_tokens: 9, output_tokens: chunksPerStream, total_tokens: chunksPerStream + 9 },
      },
    }),
  ],
  anthropic: [
    named({
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        usage: { input_tokens: 9, output_tokens: 1 },
      },
    }),
    named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...each(() =>
      named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } }),
    ),
    named({ type: "content_block_stop", index: 0 }),
    named({
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: chunksPerStream },
    }),
    named({ type: "message_stop" }),
  ],
  gemini: [
    ...each(() =>
      frame({
        responseId: "r",
        candidates: [{ index: 0, content: { role: "model", parts: [{ text: word }] } }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: chunksPerStream },
      }),
    ),
    frame({
      responseId: "r",
      candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: chunksPerStream },
    }),
  ],
} satisfies Partial<Record<ProtocolName, string[]>>;

/** The same answer whole, in the protocols that a call of the bench is crossed to. */
export const vendorAnswers = {
  "openai-responses": JSON.stringify({
    id: "r",
    object: "response",
    created_at: 1,
    model: "m",
    status: "completed",
    output: [
      {
        id: "m",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: word.repeat(chunksPerStream), annotations: [] }],
      },
    ],
    usage: { input_tokens: 9, output_tokens: chunksPerStream, total_tokens: chunksPerStream + 9 },
  }),
  anthropic: JSON.stringify({
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: word.repeat(chunksPerStream) }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 9, output_tokens: chunksPerStream },
  }),
};
