/** Multimodal embeddings passed through by splicing, and replies read: their `data` is one object. */

import { type OutlinedBody, type Slices, sliced } from "../../../base/json/body.ts";
import { isObject } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { readUsage, toBase64, vectorFacts } from "../openai-embeddings/pass-through.ts";
import type { ReplyFacts } from "../protocol.ts";
import { readBody } from "../reply-body.ts";
import { memberSplice, modelSplice } from "../splicing.ts";
import { detailsOf, objectAt } from "../switches.ts";

/** The client's bytes with `model` changed. A vector is asked for as numbers. */
export function passThrough(body: OutlinedBody, { base64 }: ChatCall, model: string): Slices {
  const numbers = base64 ? [memberSplice(body, "encoding_format", '"float"')] : [];
  return sliced(body.bytes, [modelSplice(body, model), ...numbers]);
}

/** Reads a whole reply. */
export function readReply(bytes: Buffer): ReplyFacts {
  const { data, ...reply } = readBody(bytes);
  const pictures = objectAt(objectAt(reply, "usage"), "prompt_tokens_details").image_tokens;
  return {
    ...vectorFacts(reply, readUsage(reply.usage), isObject(data) ? [data] : undefined),
    details: detailsOf({ tokens: { image_input: pictures } }),
  };
}

/** The vector as the client asked for it: its numbers, or little-endian float32 in base64. */
export function finishReply(bytes: Buffer, { base64 }: ChatCall): Buffer {
  if (!base64) return bytes;
  const reply = readBody(bytes);
  const data = objectAt(reply, "data");
  const embedding = toBase64(data.embedding);
  return Buffer.from(JSON.stringify({ ...reply, data: { ...data, embedding } }));
}
