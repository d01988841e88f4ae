/** Gemini embeddings from a provider that speaks OpenAI's: one call of texts, and its vectors in Gemini's form. */

import type { JsonBody, Slices } from "../../../base/json/body.ts";
import { type Fields, invalidField } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { textOfContent } from "../../chat/vectors.ts";
import { readUsage } from "../openai-embeddings/pass-through.ts";
import { readBody } from "../reply-body.ts";
import { fields, inputsOf } from "./fields.ts";

/** The body of the call. Throws `invalid_request` for more than text, and for vectors of different sizes. */
export function encodeRequest(body: JsonBody, batch: boolean, model: string): Slices {
  const inputs = inputsOf(body.value, batch);
  const sizes = new Set(inputs.map((input) => input.outputDimensionality ?? undefined));
  if (sizes.size > 1) throw invalidField("outputDimensionality", "the same in all requests for this model");
  const [dimensions] = sizes;
  const input = inputs.map(({ content }) => textOfContent(content));
  const request = { model, input, encoding_format: "float", dimensions };
  return [Buffer.from(JSON.stringify(request))];
}

/** Names of the inputs' options that OpenAI's form has no place for, such as the task type. */
export function dropped(body: JsonBody, batch: boolean): string[] {
  const names = new Set<string>();
  for (const input of inputsOf(body.value, batch)) fields.drop(input, names);
  return [...names];
}

/** The reply in Gemini's form, in the order of the inputs. Throws `TypeError` without one vector for each input. */
export function encodeReply(bytes: Buffer, batch: boolean, { inputs }: ChatCall): Buffer {
  const { data, usage } = readBody(bytes) as { data: Fields[]; usage: unknown };
  if (data.length !== inputs) throw new TypeError("not one vector each");
  const vectors = data
    .toSorted((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0))
    .map(({ embedding }) => {
      if (!Array.isArray(embedding)) throw new TypeError("no vector");
      return { values: embedding };
    });
  const [embedding] = vectors;
  const usageMetadata = usageOf(usage);
  return Buffer.from(JSON.stringify({ ...(batch ? { embeddings: vectors } : { embedding }), usageMetadata }));
}

/** A report under Gemini's names. Gemini's clients do without one. */
function usageOf(usage: unknown): Fields | undefined {
  const input_tokens = readUsage(usage)?.input_tokens;
  return input_tokens === undefined
    ? undefined
    : { promptTokenCount: input_tokens, totalTokenCount: input_tokens };
}
