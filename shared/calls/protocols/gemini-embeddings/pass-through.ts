/** Gemini embeddings passed through, and replies read. */

import type { JsonBody, Slices } from "../../../base/json/body.ts";
import { type Fields, isObject } from "../../../base/json/fields.ts";
import { readUsage } from "../gemini/pass-through/reply.ts";
import { withName } from "../gemini/pass-through/request.ts";
import { vectorFacts } from "../openai-embeddings/pass-through.ts";
import type { ReplyFacts } from "../protocol.ts";
import { readBody } from "../reply-body.ts";

/** The client's bytes with the provider's name for the model wherever one stands. */
export function passThrough(body: JsonBody, batch: boolean, model: string): Slices {
  return withName(body, model, (key, name) => {
    if (key !== "requests" || !batch) return undefined;
    return (body.value.requests as Fields[]).map((request) => ({ ...request, model: name }));
  });
}

/** Reads a whole reply. Usage is reported by newer models only. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const { embedding, embeddings: many } = reply;
  const vectors = isObject(embedding) ? [embedding] : Array.isArray(many) ? many : undefined;
  return vectorFacts(reply, readUsage(reply.usageMetadata), vectors);
}
