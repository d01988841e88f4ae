/** OpenAI embeddings from a provider that speaks Gemini's: one batch of texts, and its vectors in OpenAI's form. */

import type { JsonBody, Slices } from "../../../base/json/body.ts";
import { type Fields, isObject } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { textsOf, vectorList } from "../../chat/vectors.ts";
import { readUsage } from "../gemini/pass-through/reply.ts";
import type { CallEcho } from "../protocol.ts";
import { readBody } from "../reply-body.ts";
import { fields } from "./fields.ts";
import { toBase64 } from "./pass-through.ts";

/** The body of the call. Throws `invalid_request` for token numbers, and for more inputs than a batch can have. */
export function encodeRequest({ value }: JsonBody, _call: ChatCall, model: string): Slices {
  const outputDimensionality = fields.read(value, "dimensions");
  const requests = textsOf(value.input).map((text) => ({
    model: `models/${model}`,
    content: { parts: [{ text }] },
    outputDimensionality,
  }));
  return [Buffer.from(JSON.stringify({ requests }))];
}

/** The reply in OpenAI's form, with the estimate where it has no usage. Throws `TypeError` if it lacks a vector. */
export function encodeReply(bytes: Buffer, call: ChatCall, asked: CallEcho): Buffer {
  const reply = readBody(bytes);
  const vectors = reply.embeddings;
  if (!Array.isArray(vectors) || vectors.length !== call.inputs) throw new TypeError("not one vector each");
  const values = vectors.map(valuesOf);
  const tokens = readUsage(reply.usageMetadata)?.input_tokens ?? asked.input_tokens;
  const list = vectorList(asked.model, call.base64 ? values.map(toBase64) : values, tokens);
  return Buffer.from(JSON.stringify(list));
}

function valuesOf(vector: unknown): unknown[] {
  const { values }: Fields = isObject(vector) ? vector : {};
  if (!Array.isArray(values)) throw new TypeError("no vector");
  return values;
}
