import type { Protocol } from "../protocol.ts";
import { unstreamed } from "../unstreamed.ts";
import { finishReply, passThrough, readReply } from "./codec.ts";
import { keys, readRequest } from "./wire.ts";

/** OpenAI embeddings. */
export const openaiEmbeddings: Protocol = {
  ...unstreamed,
  name: "openai-embeddings",
  capability: "embeddings",
  kind: "embedding",
  bases: ["openai", "ark", "zhipu"],
  upstreamPath: () => "/embeddings",
  keys,
  readRequest,
  passThrough,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"], number: true },
  finishReply,
};
