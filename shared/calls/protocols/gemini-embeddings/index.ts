import type { ProtocolName } from "../../../base/http/routes.ts";
import { contents } from "../gemini/index.ts";
import { modelAddress, upstreamPath } from "../gemini/path.ts";
import { openaiEmbeddings } from "../openai-embeddings/index.ts";
import type { Protocol } from "../protocol.ts";
import { dropped, encodeReply, encodeRequest } from "./elsewhere.ts";
import { fields, readRequest } from "./fields.ts";
import { passThrough, readReply } from "./pass-through.ts";

/** Gemini's `embedContent`. */
export const geminiEmbedding = protocolOf("gemini-embedding", false);

/** Gemini's `batchEmbedContents`, which its SDKs call for one content too (protocols.md §3.1). */
export const geminiEmbeddings = protocolOf("gemini-embeddings", true);

function protocolOf(name: ProtocolName, batch: boolean): Protocol {
  const own: Protocol = {
    name,
    capability: "embeddings",
    kind: "embedding",
    bases: ["gemini"],
    upstreamPath: (model) => upstreamPath(model, batch ? "batchEmbedContents" : "embedContent", false),
    keys: fields.acted,
    address: modelAddress,
    readRequest: (body) => readRequest(body, batch),
    ids: contents.ids,
    passThrough: (body, _call, model) => passThrough(body, batch, model),
    readReply,
    usage_at: { whole: ["usageMetadata"], streamed: [] },
  };
  const elsewhere: Protocol = {
    ...own,
    bases: openaiEmbeddings.bases,
    upstreamPath: openaiEmbeddings.upstreamPath,
    passThrough: (body, _call, model) => encodeRequest(body, batch, model),
    dropped: (body) => dropped(body, batch),
    readReply: openaiEmbeddings.readReply,
    finishReply: (bytes, call) => encodeReply(bytes, batch, call),
  };
  return { ...own, elsewhere };
}
