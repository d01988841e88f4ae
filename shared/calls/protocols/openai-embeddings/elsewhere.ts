/** OpenAI embeddings from a provider that speaks Gemini's: one batch of texts, and its vectors in OpenAI's form. */

import type { JsonBody, Slices } from "../../../base/json/body.ts";
import { type Fields, invalidField, isObject } from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
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

function textsOf(input: unknown): string[] {
  const texts = typeof input === "string" ? [input] : (input as unknown[]);
  if (!texts.every((text) => typeof text === "string")) {
    throw invalidField(
      "input",
      "a string or an array of strings, since the token numbers of another vendor mean nothing to this model",
    );
  }
  if (texts.length > limits.geminiBatchMax) {
    throw invalidField("input", `at most ${limits.geminiBatchMax} strings for this model`);
  }
  return texts;
}

/** The reply in OpenAI's form, with the estimate where it has no usage. Throws `TypeError` if it lacks a vector. */
export function encodeReply(bytes: Buffer, call: ChatCall, asked: CallEcho): Buffer {
  const reply = readBody(bytes);
  const vectors = reply.embeddings;
  if (!Array.isArray(vectors) || vectors.length !== call.inputs) throw new TypeError("not one vector each");
  const data = vectors.map((vector, index) => ({
    object: "embedding",
    index,
    embedding: call.base64 ? toBase64(valuesOf(vector)) : valuesOf(vector),
  }));
  const prompt_tokens = readUsage(reply.usageMetadata)?.input_tokens ?? asked.input_tokens;
  const usage = { prompt_tokens, total_tokens: prompt_tokens };
  return Buffer.from(JSON.stringify({ object: "list", data, model: asked.model, usage }));
}

function valuesOf(vector: unknown): unknown[] {
  const { values }: Fields = isObject(vector) ? vector : {};
  if (!Array.isArray(values)) throw new TypeError("no vector");
  return values;
}
