/** Gemini embeddings from a provider that speaks OpenAI's: one call of texts, and its vectors in Gemini's form. */
import { type Fields, invalidField, isAbsent, isObject } from "../../http/fields.ts";
import type { JsonBody } from "../../http/json.ts";
import { readBody } from "../reply-body.ts";
import { type Input, inputsOf } from "./wire.ts";

const carried: ReadonlySet<string> = new Set(["model", "content", "outputDimensionality", "requests"]);

/**
 * The body of the call. Throws `invalid_request` for a content that is more than text, and for inputs that
 * ask for vectors of different sizes.
 */
export function encodeRequest(body: JsonBody, batch: boolean, model: string): Buffer {
  const inputs = inputsOf(body.value, batch);
  const sizes = new Set(inputs.map((input) => input["outputDimensionality"] ?? undefined));
  if (sizes.size > 1) throw invalidField("outputDimensionality", "the same in all requests for this model");
  const [dimensions] = sizes;
  return Buffer.from(
    JSON.stringify({ model, input: inputs.map(textOf), encoding_format: "float", dimensions }),
  );
}

/** Names of the inputs' options that OpenAI's form has no place for, such as the task type. */
export function dropped(body: JsonBody, batch: boolean): string[] {
  const options = inputsOf(body.value, batch).flatMap((input) =>
    Object.keys(input).filter((name) => !carried.has(name) && !isAbsent(input[name])),
  );
  return [...new Set(options)];
}

/** The reply in Gemini's form, vectors in the order of the inputs. Throws `TypeError` when it is none. */
export function encodeReply(bytes: Buffer, batch: boolean): Buffer {
  const { data } = readBody(bytes) as { data: Fields[] };
  const vectors = data
    .toSorted((a, b) => Number(a["index"] ?? 0) - Number(b["index"] ?? 0))
    .map(({ embedding }) => {
      if (!Array.isArray(embedding)) throw new TypeError("no vector");
      return { values: embedding };
    });
  return Buffer.from(JSON.stringify(batch ? { embeddings: vectors } : { embedding: vectors[0] }));
}

function textOf({ content }: Input): string {
  const { parts } = content as { parts: unknown[] };
  const texts = parts.map((part) => (isObject(part) ? part["text"] : undefined));
  if (!texts.every((text) => typeof text === "string")) {
    throw invalidField("content.parts", "texts only for this model");
  }
  return texts.join("\n");
}
