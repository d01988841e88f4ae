/** The demo provider's embeddings: the same input gets the same vector. */
import { createHash } from "node:crypto";
import { type Body, type Responder, sendJson, textOf } from "./reply.ts";

const dimensionsUsual = 256;

/** `POST /embeddings`. */
export const embeddings: Responder = async (body, response) => {
  const { input, model, dimensions } = body;
  const inputs: unknown[] = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  const data = inputs.map((text, index) => ({
    object: "embedding",
    index,
    embedding: vectorOf(text, dimensions),
  }));
  const tokens = tokensOf(input);
  sendJson(response, 200, {
    object: "list",
    data,
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
};

/** Tokens of one picture or clip. */
const pictureTokens = 1312;

/** `POST /embeddings/multimodal`: all parts of the input have one vector. */
export const multimodalEmbeddings: Responder = async (body, response) => {
  const { input, model, dimensions } = body;
  const parts = Array.isArray(input) ? (input as Body[]) : [];
  const texts = parts.filter(({ type }) => type === "text");
  const text_tokens = tokensOf(texts);
  const image_tokens = (parts.length - texts.length) * pictureTokens;
  const tokens = text_tokens + image_tokens;
  sendJson(response, 200, {
    id: "demo",
    created: Math.floor(Date.now() / 1000),
    object: "list",
    data: { object: "embedding", embedding: vectorOf(input, dimensions) },
    model,
    usage: {
      prompt_tokens: tokens,
      total_tokens: tokens,
      prompt_tokens_details: { text_tokens, image_tokens },
    },
  });
};

/** Gemini's `embedContent`. */
export const embedContent: Responder = async (body, response) => {
  sendJson(response, 200, {
    embedding: { values: geminiVector(body) },
    usageMetadata: { promptTokenCount: tokensOf(body.content) },
  });
};

/** Gemini's `batchEmbedContents`. */
export const batchEmbedContents: Responder = async (body, response) => {
  const requests = Array.isArray(body.requests) ? (body.requests as Body[]) : [];
  sendJson(response, 200, {
    embeddings: requests.map((request) => ({ values: geminiVector(request) })),
    usageMetadata: { promptTokenCount: tokensOf(requests.map(({ content }) => content)) },
  });
};

function geminiVector({ content, outputDimensionality }: Body): number[] {
  const parts = (content as { parts?: unknown } | undefined)?.parts;
  return vectorOf(textOf(parts), outputDimensionality);
}

function tokensOf(input: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(input ?? "")) / 4);
}

/** A vector of length 1 that depends on the input alone, in as many dimensions as are asked for. */
function vectorOf(input: unknown, dimensions: unknown): number[] {
  const length = typeof dimensions === "number" ? dimensions : dimensionsUsual;
  const digest = createHash("sha512").update(JSON.stringify(input)).digest();
  const raw = Array.from(
    { length },
    (_, index) => (digest[index % digest.length] ?? 0) - 127.5 + index / length,
  );
  const norm = Math.hypot(...raw);
  return raw.map((value) => value / norm);
}
