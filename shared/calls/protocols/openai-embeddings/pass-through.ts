/** Embeddings passed through by splicing, and replies read. */

import { type OutlinedBody, type Slices, sliced } from "../../../base/json/body.ts";
import { type Fields, isObject } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { noUsage, type Usage } from "../../../books/billing/usage.ts";
import { counter, isCount } from "../counters.ts";
import type { ReplyFacts } from "../protocol.ts";
import { readBody } from "../reply-body.ts";
import { memberSplice, modelSplice } from "../splicing.ts";

/** The client's bytes with `model` changed and vectors asked for as numbers, which every provider knows. */
export function passThrough(body: OutlinedBody, _call: ChatCall, model: string): Slices {
  const splices = [modelSplice(body, model), memberSplice(body, "encoding_format", '"float"')];
  return sliced(body.bytes, splices);
}

/** Reads a whole list of vectors. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  return vectorFacts(reply, readUsage(reply.usage), Array.isArray(reply.data) ? reply.data : undefined);
}

/** The facts of a reply by its vectors; undefined where it has no place for them. Without a usage too it has failed. */
export function vectorFacts(
  { error }: Fields,
  usage: Usage | undefined,
  vectors: unknown[] | undefined,
): ReplyFacts {
  const produced = vectors !== undefined && vectors.length > 0;
  const failed = isObject(error) || !(vectors || usage);
  return { usage, produced, finish: "none", output_bytes: 0, failed };
}

/** The usage of a reply: its input. Undefined where it reports none. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const tokens = [value.prompt_tokens, value.total_tokens].find(isCount);
  return tokens !== undefined ? { ...noUsage, input_tokens: counter(tokens) } : undefined;
}

/** Vectors as asked for: float32 in base64, for the SDK corrupts numbers without an error (protocols.md §0.6). */
export function finishReply(bytes: Buffer, call: ChatCall): Buffer {
  if (!call.base64) return bytes;
  const reply = readBody(bytes) as { data: Fields[] };
  const data = reply.data.map((item) => ({ ...item, embedding: toBase64(item.embedding) }));
  return Buffer.from(JSON.stringify({ ...reply, data }));
}

/** A vector's numbers as little-endian float32 in base64; what is no vector stays as it is. */
export function toBase64(vector: unknown): unknown {
  if (!Array.isArray(vector)) return vector;
  const floats = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) floats.writeFloatLE(Number(value), index * 4);
  return floats.toString("base64");
}
