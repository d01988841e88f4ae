/**
 * Vectors of Google's models at Vertex AI. `gemini-embedding-001` and the older models answer `:predict`, and the newer
 * ones `:embedContent`, which takes one content and no batch (Google, "Get text embeddings"; @google/genai 3.1).
 */
import { type Fields, isAbsent, isObject } from "../../../../base/json/fields.ts";
import { sumOfTokens, textOfContent } from "../../../chat/vectors.ts";
import type { HostedCall, HostedParts, JoinedAnswer, PartedRequest } from "../host.ts";

/** One way to ask for the vector of one input, and where its answer has it. */
interface VectorForm {
  method: string;
  body(input: Input): object;
  vector(fields: Fields): { values: unknown; tokens: unknown };
}

/** An input in Gemini's form, with its options. */
interface Input {
  content: unknown;
  options: Fields;
}

/** Options of an input that Vertex AI has too, in both spellings of Google's. */
const options: Readonly<Record<string, string>> = {
  taskType: "task_type",
  title: "title",
  outputDimensionality: "output_dimensionality",
  autoTruncate: "auto_truncate",
};

const predict: VectorForm = {
  method: "predict",
  // The model takes one instance in a request.
  body: ({ content, options: { taskType, title, outputDimensionality, autoTruncate } }) => ({
    instances: [{ content: textOfContent(content), task_type: taskType, title }],
    parameters: { outputDimensionality, autoTruncate },
  }),
  vector({ predictions }) {
    const [first] = Array.isArray(predictions) ? (predictions as unknown[]) : [];
    const found = at(isObject(first) ? first : {}, "embeddings");
    return { values: found.values, tokens: at(found, "statistics").token_count };
  },
};

const embedContent: VectorForm = {
  method: "embedContent",
  body: ({ content, options: embedContentConfig }) => ({ content, embedContentConfig }),
  vector: (fields) => ({
    values: at(fields, "embedding").values,
    tokens: at(fields, "usageMetadata").promptTokenCount,
  }),
};

/** The parts of a call: one for each input. Throws `invalid_request` where the model takes texts only. */
export function vectorParts(
  { path, headers }: PartedRequest,
  { request, isBatch }: { request: Fields; isBatch: boolean },
  { model }: HostedCall,
): HostedParts {
  const inputs = isBatch ? (request.requests as Fields[]) : [request];
  const isNewer = model.includes("gemini") && model !== "gemini-embedding-001";
  const { method, body, vector } = isNewer ? embedContent : predict;
  const asked = path.replace(/^\/v1beta\//, "/publishers/google/").replace(/:\w+$/, `:${method}`);
  const dropped = new Set<string>();
  return {
    requests: inputs.map((input) => ({
      path: asked,
      headers,
      body: [Buffer.from(JSON.stringify(body(inputOf(input, dropped))))],
    })),
    dropped: [...dropped],
    join: (answers) =>
      joined(
        answers.map(({ fields }) => vector(fields)),
        isBatch,
      ),
  };
}

/** An input, whose options may stand in a member of their own. Adds the names of those that Vertex AI lacks. */
function inputOf(input: Fields, dropped: Set<string>): Input {
  const config = input.embedContentConfig ?? input.embed_content_config;
  const given = { ...input, ...(isObject(config) ? config : {}) };
  const found: Fields = {};
  for (const [name, value] of Object.entries(given)) {
    const known = Object.keys(options).find((option) => option === name || options[option] === name);
    if (known !== undefined) found[known] = value;
    else if (!inputNames.has(name) && !isAbsent(value)) dropped.add(name);
  }
  return { content: input.content, options: found };
}

const inputNames: ReadonlySet<string> = new Set([
  "model",
  "content",
  "embedContentConfig",
  "embed_content_config",
]);

/** The vectors in Gemini's form. Throws `TypeError` where one is missing. */
function joined(vectors: readonly { values: unknown; tokens: unknown }[], isBatch: boolean): JoinedAnswer {
  const embeddings = vectors.map(({ values }) => {
    if (!Array.isArray(values)) throw new TypeError("no vector");
    return { values: values as unknown[] };
  });
  const promptTokenCount = sumOfTokens(vectors.map(({ tokens }) => tokens));
  const usageMetadata = promptTokenCount === undefined ? undefined : { promptTokenCount };
  const [embedding] = embeddings;
  return { status: 200, fields: { ...(isBatch ? { embeddings } : { embedding }), usageMetadata } };
}

function at(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isObject(value) ? value : {};
}
