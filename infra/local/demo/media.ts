/** The demo provider's embeddings and pictures: the same input gets the same vector, and every picture is one dot. */
import { createHash } from "node:crypto";
import { type Responder, sendJson } from "./reply.ts";

const dimensionsUsual = 256;

/** `POST /embeddings`. */
export const embeddings: Responder = async (body, response) => {
  const { input, model, dimensions } = body;
  const inputs: unknown[] = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  const length = typeof dimensions === "number" ? dimensions : dimensionsUsual;
  const data = inputs.map((text, index) => ({
    object: "embedding",
    index,
    embedding: vectorOf(text, length),
  }));
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(input ?? "")) / 4);
  sendJson(response, 200, {
    object: "list",
    data,
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
};

/** A vector of length 1 that depends on the input alone. */
function vectorOf(input: unknown, length: number): number[] {
  const digest = createHash("sha512").update(JSON.stringify(input)).digest();
  const raw = Array.from(
    { length },
    (_, index) => (digest[index % digest.length] ?? 0) - 127.5 + index / length,
  );
  const norm = Math.hypot(...raw);
  return raw.map((value) => value / norm);
}

/** One transparent dot, as PNG. */
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** `POST /images/generations`. */
export const images: Responder = async (body, response) => {
  const count = typeof body["n"] === "number" ? body["n"] : 1;
  const data = Array.from({ length: count }, () => ({ b64_json: dot }));
  sendJson(response, 200, {
    created: Math.floor(Date.now() / 1000),
    data,
    usage: { generated_images: count },
  });
};
