/** What calls for vectors share, in the forms of several vendors. */
import { type Fields, invalidField, isObject } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";

/** The texts of an `input` of OpenAI's form. Throws `invalid_request` for token numbers, and for too many texts. */
export function textsOf(input: unknown): string[] {
  const texts = Array.isArray(input) ? input : [input];
  if (!texts.every((text) => typeof text === "string")) {
    throw invalidField(
      "input",
      "a string or an array of strings, since the token numbers of another vendor mean nothing to this model",
    );
  }
  if (texts.length > limits.embeddedTextsMax) {
    throw invalidField("input", `at most ${limits.embeddedTextsMax} strings for this model`);
  }
  return texts;
}

/** The text of a content of Gemini's form, which has been checked. Throws `invalid_request` for more than text. */
export function textOfContent(content: unknown): string {
  const { parts } = content as { parts: unknown[] };
  const texts = parts.map((part) => (isObject(part) ? part.text : undefined));
  if (!texts.every((text) => typeof text === "string")) {
    throw invalidField("content.parts", "texts only for this model");
  }
  return texts.join("\n");
}

/** The sum of the tokens that are reported for the parts of a call; undefined where one of them has no count. */
export function sumOfTokens(reported: readonly unknown[]): number | undefined {
  const counts = reported.map((value) => (typeof value === "string" && value !== "" ? Number(value) : value));
  const areCounts = counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0);
  return areCounts ? (counts as number[]).reduce((sum, count) => sum + count, 0) : undefined;
}

/** Vectors as OpenAI's form lists them: numbers, or base64. Without `tokens` it has no usage. */
export function vectorList(model: string, vectors: readonly unknown[], tokens: number | undefined): Fields {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  const usage = tokens === undefined ? undefined : { prompt_tokens: tokens, total_tokens: tokens };
  return { object: "list", data, model, usage };
}
