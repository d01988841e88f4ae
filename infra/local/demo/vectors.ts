/** The demo provider's embeddings: the same input gets the same vector. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { meaningsOf } from "./meanings.ts";
import { type DemoBody, type Responder, sendJson, textOf } from "./reply.ts";

const dimensionsUsual = 256;

/** `POST /embeddings`: texts have nothing to do with each other unless they are equal. */
export const embeddings: Responder = async (body, response) => sendEmbeddings(body, response, vectorOf);

/** The same by meanings: texts that share meanings are near each other. */
export const embeddingsOfMeanings: Responder = async (body, response) =>
  sendEmbeddings(body, response, vectorOfMeanings);

function sendEmbeddings(body: DemoBody, response: ServerResponse, vector: typeof vectorOf): void {
  const { input, model, dimensions } = body;
  const inputs: unknown[] = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  const data = inputs.map((text, index) => ({
    object: "embedding",
    index,
    embedding: vector(text, dimensions),
  }));
  const tokens = tokensOf(input);
  sendJson(response, 200, {
    object: "list",
    data,
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/** Tokens of one picture or clip. */
const pictureTokens = 1312;

/** `POST /embeddings/multimodal`: all parts of the input have one vector. */
export const multimodalEmbeddings: Responder = async (body, response) => {
  const { input, model, dimensions } = body;
  const parts = Array.isArray(input) ? (input as DemoBody[]) : [];
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
  const requests = Array.isArray(body.requests) ? (body.requests as DemoBody[]) : [];
  sendJson(response, 200, {
    embeddings: requests.map((request) => ({ values: geminiVector(request) })),
    usageMetadata: { promptTokenCount: tokensOf(requests.map(({ content }) => content)) },
  });
};

function geminiVector({ content, outputDimensionality }: DemoBody): number[] {
  const parts = (content as { parts?: unknown } | undefined)?.parts;
  return vectorOf(textOf(parts), outputDimensionality);
}

export function tokensOf(input: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(input ?? "")) / 4);
}

/** A vector of length 1 that depends on the input alone, in as many dimensions as are asked for. */
export function vectorOf(input: unknown, dimensions: unknown): number[] {
  const length = typeof dimensions === "number" ? dimensions : dimensionsUsual;
  const digest = createHash("sha512").update(JSON.stringify(input)).digest();
  const raw = Array.from(
    { length },
    (_, index) => (digest[index % digest.length] ?? 0) - 127.5 + index / length,
  );
  return normal(raw);
}

/** The sum of the directions of a text's meanings, of length 1. */
function vectorOfMeanings(input: unknown, dimensions: unknown): number[] {
  const length = typeof dimensions === "number" ? dimensions : dimensionsUsual;
  const sum = new Array<number>(length).fill(0);
  for (const meaning of meaningsOf(typeof input === "string" ? input : JSON.stringify(input))) {
    const bytes = createHash("shake256", { outputLength: length }).update(meaning).digest();
    for (let at = 0; at < length; at++) sum[at] = (sum[at] ?? 0) + (bytes[at] ?? 0) - 127.5;
  }
  return normal(sum);
}

function normal(vector: readonly number[]): number[] {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / norm);
}
