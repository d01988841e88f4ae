/**
 * The demo provider's vectors of Google's models at Vertex AI (Google, "Get text embeddings"): `:predict` of
 * `gemini-embedding-001` and the older models, and `:embedContent` of the newer ones. There are no batches.
 */
import { type DemoBody, type Responder, sendJson, textOf } from "./reply.ts";
import { tokensOf, vectorOf } from "./vectors.ts";

/** Who answers a call for vectors of this model; undefined for another call. */
export function vertexVectors(model: string, method: string): Responder | undefined {
  const isNewer = model.includes("gemini") && model !== "gemini-embedding-001";
  if (method === "predict") return isNewer ? unknown : predict;
  if (method === "embedContent") return isNewer ? embedContent : unknown;
  return method === "batchEmbedContents" ? unknown : undefined;
}

const unknown: Responder = async (_, response) =>
  refuse(response, 404, "NOT_FOUND", "The model does not answer this method.");

function refuse(response: Parameters<Responder>[1], code: number, status: string, message: string): void {
  sendJson(response, code, { error: { code, message, status } });
}

const predict: Responder = async ({ instances, parameters, ...more }, response) => {
  const [instance, ...others] = Array.isArray(instances) ? (instances as DemoBody[]) : [];
  const { outputDimensionality = 3072 } = (parameters ?? {}) as DemoBody;
  if (typeof instance?.content !== "string" || others.length > 0 || Object.keys(more).length > 0)
    return refuse(response, 400, "INVALID_ARGUMENT", "one instance with a content is expected");
  const statistics = { truncated: false, token_count: tokensOf(instance.content) };
  const values = vectorOf([instance.task_type, instance.content], outputDimensionality);
  sendJson(response, 200, {
    predictions: [{ embeddings: { values, statistics } }],
    metadata: { billableCharacterCount: instance.content.length },
  });
};

const embedContent: Responder = async ({ content, embedContentConfig, ...more }, response) => {
  const { outputDimensionality = 3072 } = (embedContentConfig ?? {}) as DemoBody;
  const { parts } = (content ?? {}) as DemoBody;
  if (!Array.isArray(parts) || Object.keys(more).length > 0)
    return refuse(response, 400, "INVALID_ARGUMENT", "one content is expected");
  sendJson(response, 200, {
    embedding: { values: vectorOf(textOf(parts), outputDimensionality) },
    usageMetadata: { promptTokenCount: tokensOf(parts), totalTokenCount: tokensOf(parts) },
    truncated: false,
  });
};
