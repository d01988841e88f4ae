/** What every answer has in each protocol (contract §4). The rest is the vendor's. */
import type { ProtocolName } from "../../base/http/routes.ts";
import * as s from "./schema.ts";

const chat = s.object(
  { id: s.string, choices: s.list(s.object({})) },
  {
    object: s.string,
    created: s.integer,
    model: s.string,
    usage: s.orNull(s.object({ prompt_tokens: s.integer, completion_tokens: s.integer })),
  },
);

const anthropic = s.object({
  id: s.string,
  type: s.just("message"),
  role: s.string,
  content: s.list(s.object({ type: s.string })),
  model: s.string,
  stop_reason: s.orNull(s.string),
  usage: s.object({ input_tokens: s.integer, output_tokens: s.integer }),
});

const embeddings = s.object(
  {
    object: s.just("list"),
    data: s.list(s.object({ embedding: s.anything })),
    model: s.string,
  },
  { usage: s.object({ prompt_tokens: s.integer, total_tokens: s.integer }) },
);

const images = s.object({}, { created: s.integer, data: s.list(s.object({})) });
const drawn = s.object(
  { usage: s.object({ generated_images: s.integer }) },
  { created: s.integer, data: s.list(s.object({})) },
);

/** The schema of a whole answer of each protocol. */
export const replies: Readonly<Record<ProtocolName, s.Schema>> = {
  "openai-chat": chat,
  "openai-responses": s.object(
    {
      id: s.string,
      object: s.just("response"),
      output: s.list(s.object({ type: s.string })),
    },
    { status: s.string, model: s.string, usage: s.orNull(s.object({})) },
  ),
  anthropic,
  "bedrock-converse": s.object(
    { output: s.object({ message: s.object({}) }), stopReason: s.string, usage: s.object({}) },
    { metrics: s.object({ latencyMs: s.integer }) },
  ),
  "bedrock-invoke": anthropic,
  "anthropic-count": s.object({ input_tokens: s.integer }),
  gemini: s.object(
    {},
    {
      candidates: s.list(s.object({})),
      usageMetadata: s.object({}),
      modelVersion: s.string,
      responseId: s.string,
    },
  ),
  "gemini-count": s.object({ totalTokens: s.integer }),
  "gemini-embedding": s.object({ embedding: s.object({}) }),
  "gemini-embeddings": s.object({ embeddings: s.list(s.object({})) }),
  "openai-embeddings": embeddings,
  "ark-multimodal": s.object({ data: s.such(s.object({}), "One vector of all parts.") }),
  "openai-images": images,
  "ark-images": drawn,
  "zhipu-images": images,
  "openai-image-edits": images,
  "ark-image-edits": drawn,
};

/** What a stream has, for the protocols whose calls can be streamed. */
export const streams: Readonly<Partial<Record<ProtocolName, string>>> = {
  "openai-chat":
    "`data:` lines of JSON. The last chunk with data has the usage, and `data: [DONE]` ends the stream.",
  "openai-responses": "Events of the Responses API, of which `response.completed` has the usage.",
  anthropic: "`message_start`, `content_block_delta`, `message_delta` with the usage, and `message_stop`.",
  "bedrock-converse":
    "Messages `messageStart`, `contentBlockDelta`, `messageStop`, and `metadata` with the usage.",
  "bedrock-invoke": "Messages `chunk`, whose `bytes` are the events of Anthropic's stream in base64.",
  "openai-images": "Events with pictures in the making. Only some models have them.",
  "ark-images": "Events with each picture.",
  "openai-image-edits": "Events with pictures in the making. Only some models have them.",
  "ark-image-edits": "Events with each picture.",
};
