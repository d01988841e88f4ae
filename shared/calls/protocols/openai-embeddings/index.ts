import { upstreamPath } from "../gemini/path.ts";
import { readReply as readGeminiReply } from "../gemini-embeddings/pass-through.ts";
import type { Protocol } from "../protocol.ts";
import { encodeReply, encodeRequest } from "./elsewhere.ts";
import { fields, readRequest } from "./fields.ts";
import { finishReply, passThrough, readReply } from "./pass-through.ts";

const own: Protocol = {
  name: "openai-embeddings",
  capability: "embeddings",
  kind: "embedding",
  bases: ["openai", "ark", "zhipu"],
  upstreamPath: () => "/embeddings",
  keys: fields.acted,
  readRequest,
  passThrough,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"], number: true },
  finishReply,
};

/** OpenAI embeddings, also where the provider speaks Gemini's. */
export const openaiEmbeddings: Protocol = {
  ...own,
  elsewhere: {
    ...own,
    bases: ["gemini"],
    // A batch of one text is a batch too, and all texts are one call.
    upstreamPath: (model) => upstreamPath(model, "batchEmbedContents", false),
    passThrough: encodeRequest,
    dropped: ({ value }) => fields.dropped(value),
    readReply: readGeminiReply,
    finishReply: encodeReply,
  },
};
