/** Models as the list routes show them: in the form of each vendor's SDKs, and in one form for all SDKs. */
import type { Model } from "./catalog.ts";
import { offeredPrice } from "./next-price.ts";
import { anthropicPage, geminiPage } from "./pages.ts";

/** An entry of `GET /v1/models` (contract §2.9). `created` is in Unix seconds. */
export function openaiModel({ id, created, owned_by, display_name, capabilities }: Model) {
  return { id, object: "model", created, owned_by, display_name, capabilities } as const;
}

/** An entry as Gemini's SDKs read it. */
function geminiModel({ id, display_name, capabilities, context_tokens, output_tokens }: Model) {
  return {
    name: `models/${id}`,
    displayName: display_name,
    inputTokenLimit: context_tokens,
    outputTokenLimit: output_tokens,
    thinking: capabilities.includes("reasoning"),
    supportedGenerationMethods: [
      ...(capabilities.includes("chat") ? ["generateContent", "countTokens"] : []),
      ...(capabilities.includes("chat") && capabilities.includes("stream") ? ["streamGenerateContent"] : []),
      ...(capabilities.includes("embeddings") ? ["embedContent", "batchEmbedContents"] : []),
    ],
  };
}

/** An entry as Anthropic's SDKs read it. Members that the catalog does not know are null, which their type allows. */
function anthropicModel({ id, created, display_name, context_tokens, output_tokens }: Model) {
  return {
    type: "model",
    id,
    display_name,
    created_at: timeOf(created),
    lifecycle: "active",
    deprecated_at: null,
    retires_at: null,
    line: null,
    max_input_tokens: context_tokens || null,
    max_tokens: output_tokens || null,
    capabilities: null,
  } as const;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/**
 * An entry of the public list at an instant (Unix ms), in OpenAI's, Anthropic's and Gemini's forms at once (contract §4.4);
 * never a channel.
 */
export function publicModel(model: Model, at: number) {
  return {
    ...openaiModel(model),
    type: "model",
    created_at: timeOf(model.created),
    aliases: model.aliases,
    context_tokens: model.context_tokens,
    output_tokens: model.output_tokens,
    protocols: model.protocols,
    ...offeredPrice(model, at),
    permission: model.permission,
    video: model.video,
    ...geminiModel(model),
  } as const;
}

/**
 * The form in which a vendor's SDKs read models: a page of them, and one, as they are at an instant (Unix ms). A bad page
 * query throws `invalid_request`.
 */
export interface ListForm {
  list(models: readonly Model[], query: URLSearchParams, at: number): object;
  one(model: Model, at: number): object;
}

export const openaiForm: ListForm = {
  list: (models) => ({ object: "list", data: models.map(openaiModel) }),
  one: openaiModel,
};

export const anthropicForm: ListForm = {
  list: (all, query) => {
    const { models, hasMore } = anthropicPage(all, query);
    return { data: models.map(anthropicModel), has_more: hasMore, ...endsOf(models) };
  },
  one: anthropicModel,
};

export const geminiForm: ListForm = {
  list: (all, query) => {
    const { models, ...next } = geminiPage(all, query);
    return { models: models.map(geminiModel), ...next };
  },
  one: geminiModel,
};

/** The form for every SDK at once. The list is always one whole page. */
export const publicForm: ListForm = {
  list: (models, _query, at) => publicList(models, at),
  one: publicModel,
};

function endsOf(models: readonly Model[]) {
  return { first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
}

/** The body of `GET /api/v1/models`, one whole page for the clients of all three vendors (protocols.md §0.10). */
export function publicList(models: readonly Model[], at: number) {
  return {
    object: "list",
    data: models.map((model) => publicModel(model, at)),
    has_more: false,
    ...endsOf(models),
    models: models.map(geminiModel),
  } as const;
}
