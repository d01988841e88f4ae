/** Gemini embeddings passed through, and replies read. */

import { type JsonBody, type Slices, sliced } from "../../../base/json/body.ts";
import { type Fields, isObject } from "../../../base/json/fields.ts";
import { readUsage } from "../gemini/pass-through/reply.ts";
import { vectorFacts } from "../openai-embeddings/pass-through.ts";
import type { ReplyFacts } from "../protocol.ts";
import { readBody } from "../reply-body.ts";

/** The client's bytes with the provider's name for the model wherever one stands. */
export function passThrough(body: JsonBody, batch: boolean, model: string): Slices {
  const name = `models/${model}`;
  const splices = body.members.flatMap(({ key, value_start, value_end }) => {
    const at = { start: value_start, end: value_end };
    if (key === "model") return [{ ...at, text: JSON.stringify(name) }];
    if (key !== "requests" || !batch) return [];
    const requests = (body.value.requests as Fields[]).map((request) => ({ ...request, model: name }));
    return [{ ...at, text: JSON.stringify(requests) }];
  });
  return sliced(body.bytes, splices);
}

/** Reads a whole reply. Usage is reported by newer models only. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const { embedding, embeddings: many } = reply;
  const vectors = isObject(embedding) ? [embedding] : Array.isArray(many) ? many : undefined;
  return vectorFacts(reply, readUsage(reply.usageMetadata), vectors);
}
