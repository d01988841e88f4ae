/** Models as the list calls show them: one entry for three vendors' SDKs, which read different fields of it. */
import type { Model } from "./catalog.ts";

/** An entry of `GET /v1/models` (contract §2.9). `created` is in Unix seconds. */
export function openaiModel({ id, created, owned_by, display_name, capabilities }: Model) {
  return { id, object: "model", created, owned_by, display_name, capabilities } as const;
}

/** The fields that Gemini's SDKs read. */
export function geminiModel({ id, display_name, capabilities, context_tokens, output_tokens }: Model) {
  return {
    name: `models/${id}`,
    displayName: display_name,
    inputTokenLimit: context_tokens,
    outputTokenLimit: output_tokens,
    supportedGenerationMethods: [
      ...(capabilities.includes("chat") ? ["generateContent", "countTokens"] : []),
      ...(capabilities.includes("chat") && capabilities.includes("stream") ? ["streamGenerateContent"] : []),
      ...(capabilities.includes("embeddings") ? ["embedContent", "batchEmbedContents"] : []),
    ],
  };
}

/**
 * An entry of the public list: the OpenAI, Anthropic and Gemini forms in one, and the model's
 * configuration as far as it concerns a customer (contract §4.4). Never a channel.
 */
export function publicModel(model: Model) {
  return {
    ...openaiModel(model),
    type: "model",
    created_at: new Date(model.created * 1000).toISOString(),
    aliases: model.aliases,
    context_tokens: model.context_tokens,
    output_tokens: model.output_tokens,
    protocols: model.protocols,
    price: model.price,
    discount_rate: model.discount_rate,
    permission: model.permission,
    video: model.video,
    ...geminiModel(model),
  } as const;
}

/**
 * The body of `GET /api/v1/models`. OpenAI's client reads `data`, Anthropic's also the cursor, Gemini's
 * `models` (protocols.md §0.10). It is always one whole page.
 */
export function publicList(models: readonly Model[]) {
  return {
    object: "list",
    data: models.map(publicModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    models: models.map(geminiModel),
  } as const;
}
