import type { Protocol } from "../protocol.ts";
import { mediaIds } from "../provider-ids.ts";
import { fields, readRequest } from "./fields.ts";
import { finishReply, passThrough, readReply } from "./pass-through.ts";

/** Ark's embeddings of texts, pictures and clips together. */
export const arkMultimodal: Protocol = {
  name: "ark-multimodal",
  capability: "multimodal_embeddings",
  kind: "embedding",
  bases: ["ark"],
  upstreamPath: () => "/embeddings/multimodal",
  keys: fields.acted,
  readRequest,
  ids: mediaIds,
  passThrough,
  readReply,
  usage_at: { whole: ["usage"], streamed: [], number: true },
  finishReply,
};
