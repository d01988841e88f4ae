/**
 * The demo provider's vectors and pictures of Bedrock, in the forms of the models' makers. A body with anything else is
 * refused, as AWS does it. AWS's pages of the forms are "Amazon Titan Text Embeddings V2", "Cohere Embed v3", "Cohere
 * Embed v4" and "Stable Image Core request and response". Nova's is "Complete embeddings request and response schema".
 */
import { dot } from "./pictures.ts";
import { type DemoBody, type Responder, sendJson } from "./reply.ts";
import { tokensOf, vectorOf } from "./vectors.ts";

/** What a model answers, and the tokens that a header tells. */
interface MakersAnswer {
  answer: object;
  tokens?: number;
}

/** One maker's form. */
interface MakersForm {
  models: RegExp;
  /** The members that a body must have, and those that it may have. */
  needs: readonly string[];
  takes: readonly string[];
  /** What is wrong with a body; undefined for one that is taken. */
  wrong(body: DemoBody): string | undefined;
  answer(body: DemoBody): MakersAnswer;
}

const isOneOf = (value: unknown, all: readonly unknown[]) => value === undefined || all.includes(value);
const textsOf = (body: DemoBody) => (Array.isArray(body.texts) ? (body.texts as unknown[]) : []);
const inputTypes = ["search_document", "search_query", "classification", "clustering"];

/** Cohere's texts, of which a request has 96 at most. Version 3 has no size to choose. */
function cohere(models: RegExp, sizes: readonly number[], textCharsMax: number, more: string[]): MakersForm {
  const usual = sizes.at(-1);
  return {
    models,
    needs: ["texts", "input_type"],
    takes: ["truncate", "embedding_types", ...more],
    wrong(body) {
      const texts = textsOf(body);
      if (texts.length === 0 || texts.length > 96) return "texts must have between 1 and 96 items";
      if (!texts.every((text) => typeof text === "string")) return "texts must be strings";
      if (texts.some((text) => String(text).length > textCharsMax)) return "a text is too long";
      if (!inputTypes.includes(String(body.input_type))) return "input_type is invalid";
      return isOneOf(body.output_dimension, sizes) ? undefined : "output_dimension is invalid";
    },
    answer(body) {
      const texts = textsOf(body);
      const vectors = texts.map((text) => vectorOf([body.input_type, text], body.output_dimension ?? usual));
      const byType = body.embedding_types !== undefined;
      const response_type = byType ? "embeddings_by_type" : "embeddings_floats";
      const embeddings = byType ? { float: vectors } : vectors;
      return { answer: { id: "demo", response_type, embeddings, texts }, tokens: tokensOf(texts) };
    },
  };
}

const titan: MakersForm = {
  models: /^amazon\.titan-embed-text-v2:0$/,
  needs: ["inputText"],
  takes: ["dimensions", "normalize", "embeddingTypes"],
  wrong({ inputText, dimensions }) {
    if (typeof inputText !== "string" || inputText === "") return "expected minLength: 1, actual: 0";
    return isOneOf(dimensions, [256, 512, 1024]) ? undefined : `${dimensions} is not a valid enum value`;
  },
  answer({ inputText, dimensions, embeddingTypes }) {
    const embedding = vectorOf(inputText, dimensions ?? 1024);
    const tokens = tokensOf(inputText);
    const byType = embeddingTypes === undefined ? {} : { embeddingsByType: { float: embedding } };
    return { answer: { embedding, ...byType, inputTextTokenCount: tokens }, tokens };
  },
};

const nova: MakersForm = {
  models: /^amazon\.nova-2-multimodal-embeddings-v1:0$/,
  needs: ["taskType", "singleEmbeddingParams"],
  takes: ["schemaVersion"],
  wrong({ taskType, singleEmbeddingParams }) {
    const { embeddingPurpose, embeddingDimension, text } = (singleEmbeddingParams ?? {}) as DemoBody;
    const { truncationMode, value } = (text ?? {}) as DemoBody;
    if (taskType !== "SINGLE_EMBEDDING") return "taskType is invalid";
    if (typeof embeddingPurpose !== "string") return "embeddingPurpose is required";
    if (!isOneOf(embeddingDimension, [256, 384, 1024, 3072])) return "embeddingDimension is invalid";
    const isText = typeof value === "string" && ["START", "END", "NONE"].includes(String(truncationMode));
    return isText ? undefined : "text needs a value and a truncationMode";
  },
  answer({ singleEmbeddingParams }) {
    const { embeddingDimension = 3072, text } = singleEmbeddingParams as DemoBody;
    const { value } = text as DemoBody;
    const embeddings = [{ embeddingType: "TEXT", embedding: vectorOf(value, embeddingDimension) }];
    return { answer: { embeddings }, tokens: tokensOf(value) };
  },
};

const shapes = ["16:9", "1:1", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21"];

const stability: MakersForm = {
  models: /^stability\.(?:stable-image-(?:core|ultra)-v1:[01]|sd3-5-large-v1:0)$/,
  needs: ["prompt"],
  takes: ["mode", "aspect_ratio", "output_format", "seed", "negative_prompt"],
  wrong({ prompt, aspect_ratio, output_format }) {
    if (typeof prompt !== "string" || prompt.length > 10_000)
      return "prompt: must be at most 10000 characters";
    if (!isOneOf(aspect_ratio, shapes)) return "aspect_ratio: is invalid";
    return isOneOf(output_format, ["png", "jpeg", "webp"]) ? undefined : "output_format: is invalid";
  },
  answer({ prompt, seed }) {
    // Whoever wants to see the filter at work writes its name.
    if (String(prompt).includes("[filtered]"))
      return { answer: { finish_reasons: ["Filter reason: prompt"] } };
    return { answer: { seeds: [seed || 1], finish_reasons: [null], images: [dot] } };
  },
};

const forms: readonly MakersForm[] = [
  titan,
  nova,
  cohere(/^cohere\.embed-(?:english|multilingual)-v3$/, [1024], 2048, []),
  cohere(/^cohere\.embed-v4:0$/, [256, 512, 1024, 1536], 500_000, ["output_dimension", "max_tokens"]),
  stability,
];

/** `POST /model/{model}/invoke` of a model for vectors or pictures; undefined for every other model. */
export function invokeMaker(model: string): Responder | undefined {
  const name = model.replace(/^(?:global|us|eu)\./, "");
  const form = forms.find(({ models }) => models.test(name));
  if (!form) return undefined;
  return async (body, response) => {
    const missing = form.needs.find((member) => body[member] === undefined);
    const extra = Object.keys(body).find((member) => ![...form.needs, ...form.takes].includes(member));
    const problem =
      (missing && `required key [${missing}] not found`) ??
      (extra && `extraneous key [${extra}] is not permitted`) ??
      form.wrong(body);
    if (problem !== undefined) {
      const message = `Malformed input request: ${problem}, please reformat your input and try again.`;
      return sendJson(response, 400, { message }, { "x-amzn-errortype": "ValidationException" });
    }
    const { answer, tokens } = form.answer(body);
    const counted = tokens === undefined ? {} : { "x-amzn-bedrock-input-token-count": String(tokens) };
    sendJson(response, 200, answer, { "x-amzn-bedrock-invocation-latency": "1", ...counted });
  };
}
