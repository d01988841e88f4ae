/** What a model at a cloud is asked, to see whether it may be called, and what each answer means. */
import type { ProviderProtocol } from "../../books/catalog/catalog.ts";
import { namesOf, type ProviderError } from "../../calls/upstreams/provider-error.ts";

/** A request to a provider, without what every request has. */
export interface CloudQuestion {
  method: "GET" | "POST";
  /** Behind the base URL. */
  path: string;
  /** The name of the protocol, as a host knows it. */
  protocol: string;
  body?: object;
  headers?: Record<string, string>;
}

type Asking = Partial<Record<ProviderProtocol, (model: string) => CloudQuestion>>;

const text = "Hi";
const geminiTurns = { contents: [{ role: "user", parts: [{ text }] }] };
const turns = { messages: [{ role: "user", content: text }] };
const version = { "anthropic-version": "2023-06-01" };

/** Questions that cost nothing: the tokens of a word are counted. */
export const counting: Asking = {
  gemini: (model) => ({
    ...{ method: "POST", protocol: "gemini-count" },
    path: `/v1beta/models/${model}:countTokens`,
    body: geminiTurns,
  }),
  anthropic: (model) => ({
    ...{ method: "POST", protocol: "anthropic-count", headers: version },
    path: "/v1/messages/count_tokens",
    body: { model, ...turns },
  }),
};

/** The question of a whole provider, where no model can be asked for nothing: the list of what it has. */
export const listing: Partial<Record<ProviderProtocol, CloudQuestion>> = {
  openai: { method: "GET", protocol: "openai-models", path: "/models" },
};

/** Questions that cost a few tokens: the shortest call. */
export const probing: Asking = {
  gemini: (model) => ({
    ...{ method: "POST", protocol: "gemini" },
    path: `/v1beta/models/${model}:generateContent`,
    body: { ...geminiTurns, generationConfig: { maxOutputTokens: 1 } },
  }),
  anthropic: (model) => ({
    ...{ method: "POST", protocol: "anthropic", headers: version },
    path: "/v1/messages",
    body: { model, ...turns, max_tokens: 1 },
  }),
  openai: (model) => ({
    ...{ method: "POST", protocol: "openai-chat" },
    path: "/chat/completions",
    body: { model, ...turns, max_completion_tokens: 1 },
  }),
  converse: (model) => ({
    ...{ method: "POST", protocol: "bedrock-converse" },
    path: `/model/${encodeURIComponent(model)}/converse`,
    body: { messages: [{ role: "user", content: [{ text }] }], inferenceConfig: { maxTokens: 1 } },
  }),
};

/** The same of models that make vectors: one of a word. */
export const probingVectors: Asking = {
  gemini: (model) => ({
    ...{ method: "POST", protocol: "gemini-embedding" },
    path: `/v1beta/models/${model}:embedContent`,
    body: { content: { parts: [{ text }] } },
  }),
  openai: (model) => ({
    ...{ method: "POST", protocol: "openai-embeddings" },
    path: "/embeddings",
    body: { model, input: text },
  }),
};

/** Whose a problem is: of one model, or of the account at all of them. */
export interface ModelProblem {
  of: "model" | "account";
  what: string;
}

/** Codes of a 400 that is about the model. Any other 400 is about the question, which had to reach the model for that. */
const notCalledSo = ["OperationNotSupported", "invalid_model", "model_not_found"];
const wrongModel = /model identifier is invalid|on-demand throughput isn|operation does not work/i;

/** What an answer says against calling a model; undefined where nothing does. 429 says that the model is there. */
export function problemIn(status: number, error: ProviderError): ModelProblem | undefined {
  if (status < 300 || status === 429) return undefined;
  const names = namesOf(error);
  switch (status) {
    case 400:
      return names.some((name) => notCalledSo.includes(name)) || wrongModel.test(error.message ?? "")
        ? { of: "model", what: "is not called in this way" }
        : undefined;
    case 401:
      return { of: "account", what: "the credential is refused with 401" };
    case 403:
      return { of: "model", what: "may not be called" };
    case 404:
      return { of: "model", what: names.includes("DeploymentNotFound") ? "is not deployed" : "is not there" };
    default:
      return { of: "model", what: `answers ${status}` };
  }
}
