/** What every answer has in each protocol (contract §4). The rest is the vendor's. */
import type { ProtocolName } from "../../base/http/routes.ts";
import { anything, integer, just, list, object, orNull, type Schema, string, such } from "./schema.ts";

const chat = object(
  { id: string, choices: list(object({})) },
  {
    object: string,
    created: integer,
    model: string,
    usage: orNull(object({ prompt_tokens: integer, completion_tokens: integer })),
  },
);

const anthropic = object({
  id: string,
  type: just("message"),
  role: string,
  content: list(object({ type: string })),
  model: string,
  stop_reason: orNull(string),
  usage: object({ input_tokens: integer, output_tokens: integer }),
});

const embeddings = object(
  {
    object: just("list"),
    data: list(object({ embedding: anything })),
    model: string,
  },
  { usage: object({ prompt_tokens: integer, total_tokens: integer }) },
);

const images = object({}, { created: integer, data: list(object({})) });
const drawn = object(
  { usage: object({ generated_images: integer }) },
  { created: integer, data: list(object({})) },
);

/** The schema of a whole answer of each protocol. */
export const replies: Readonly<Record<ProtocolName, Schema>> = {
  "openai-chat": chat,
  "openai-responses": object(
    {
      id: string,
      object: just("response"),
      output: list(object({ type: string })),
    },
    { status: string, model: string, usage: orNull(object({})) },
  ),
  anthropic,
  "anthropic-count": object({ input_tokens: integer }),
  gemini: object(
    {},
    {
      candidates: list(object({})),
      usageMetadata: object({}),
      modelVersion: string,
      responseId: string,
    },
  ),
  "gemini-count": object({ totalTokens: integer }),
  "gemini-embedding": object({ embedding: object({}) }),
  "gemini-embeddings": object({ embeddings: list(object({})) }),
  "openai-embeddings": embeddings,
  "ark-multimodal": object({ data: such(object({}), "One vector of all parts.") }),
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
  "openai-images": "Events with pictures in the making. Only some models have them.",
  "ark-images": "Events with each picture.",
  "openai-image-edits": "Events with pictures in the making. Only some models have them.",
  "ark-image-edits": "Events with each picture.",
};
