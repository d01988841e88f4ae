/**
 * THE table of routes (contract §4). The router, the pipeline, the README's check and the golden check
 * read it; nothing else knows a path. A `{name}` takes the rest of the path but for what follows it in
 * the row, slashes included, because model ids contain them (protocols.md §0.5). The first row that fits wins.
 */

export type ErrorStyle =
  | "standard"
  | "openai"
  | "anthropic"
  | "anthropic_superset"
  | "volcengine"
  | "gemini"
  | "video"
  | "problem";

export type ProtocolName =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "openai-embeddings"
  | "ark-multimodal"
  | "openai-images"
  | "ark-images"
  | "zhipu-images"
  | "openai-image-edits"
  | "ark-image-edits"
  | "gemini-embedding"
  | "gemini-embeddings"
  | CountName;

/** Protocols whose calls only count a request's tokens. */
export type CountName = "anthropic-count" | "gemini-count";

interface RouteBase {
  method: "GET" | "POST" | "DELETE";
  path: string;
  style: ErrorStyle;
}

/** A call that is admitted, forwarded to a provider and metered. */
export interface InferenceRoute extends RouteBase {
  operation: "infer";
  protocol: ProtocolName;
}

/** A count of tokens: limited like a call, never charged. */
export interface CountRoute extends RouteBase {
  operation: "count";
  protocol: CountName;
}

/** A route the gateway answers by itself. */
export interface LocalRoute extends RouteBase {
  operation:
    | "list_models"
    | "retrieve_model"
    | "list_public_models"
    | "retrieve_public_model"
    | "list_gemini_models"
    | "retrieve_gemini_model"
    | "create_key"
    | "list_keys"
    | "revoke_key"
    | "report_usage"
    | "report_period"
    | "report_balance"
    | "retrieve_receipt"
    | "list_calls"
    | "create_task"
    | "list_tasks"
    | "show_task"
    | "cancel_task";
}

export type Route = InferenceRoute | CountRoute | LocalRoute;
export type LocalOperation = LocalRoute["operation"];

const infer = (path: string, protocol: ProtocolName, style: ErrorStyle): InferenceRoute => ({
  method: "POST",
  path,
  style,
  operation: "infer",
  protocol,
});

const count = (path: string, protocol: CountName, style: ErrorStyle): CountRoute => ({
  method: "POST",
  path,
  style,
  operation: "count",
  protocol,
});

/** Gemini's actions stand behind the model's last colon (protocols.md §0.5); the open row comes last. */
const geminiActions = (models: string): Route[] => [
  count(`${models}/{model}:countTokens`, "gemini-count", "gemini"),
  infer(`${models}/{model}:embedContent`, "gemini-embedding", "gemini"),
  infer(`${models}/{model}:batchEmbedContents`, "gemini-embeddings", "gemini"),
  infer(`${models}/{model_action}`, "gemini", "gemini"),
];

/** Where the SDKs of OpenAI's form look for the models themselves. */
const openaiModels = (models: string, style: ErrorStyle): Route[] => [
  { method: "GET", path: models, style, operation: "list_models" },
  { method: "GET", path: `${models}/{model}`, style, operation: "retrieve_model" },
];

/** Where Gemini's SDKs look for the models themselves. */
const geminiModels = (models: string): Route[] => [
  { method: "GET", path: models, style: "gemini", operation: "list_gemini_models" },
  { method: "GET", path: `${models}/{model}`, style: "gemini", operation: "retrieve_gemini_model" },
];

const videoTasks = "/api/v3/contents/generations/tasks";

export const routes: readonly Route[] = [
  infer("/v1/chat/completions", "openai-chat", "openai"),
  infer("/api/v1/chat/completions", "openai-chat", "standard"),
  infer("/api/v3/chat/completions", "openai-chat", "volcengine"),
  infer("/api/v0/chat/completions", "openai-chat", "openai"),
  infer("/api/paas/v4/chat/completions", "openai-chat", "openai"),
  infer("/v1/messages", "anthropic", "anthropic"),
  infer("/api/v1/messages", "anthropic", "anthropic_superset"),
  infer("/api/anthropic/v1/messages", "anthropic", "anthropic_superset"),
  infer("/v1/responses", "openai-responses", "openai"),
  infer("/api/v1/responses", "openai-responses", "openai"),
  infer("/api/v3/responses", "openai-responses", "volcengine"),
  count("/v1/messages/count_tokens", "anthropic-count", "anthropic"),
  count("/api/v1/messages/count_tokens", "anthropic-count", "anthropic_superset"),
  count("/api/anthropic/v1/messages/count_tokens", "anthropic-count", "anthropic_superset"),
  ...geminiActions("/api/v1beta/models"),
  ...geminiActions("/api/v1/models"),
  ...geminiActions("/api/v1/gemini/v1beta/models"),
  infer("/v1/embeddings", "openai-embeddings", "openai"),
  infer("/api/v1/embeddings", "openai-embeddings", "standard"),
  infer("/api/v3/embeddings", "openai-embeddings", "volcengine"),
  infer("/api/v3/embeddings/multimodal", "ark-multimodal", "volcengine"),
  infer("/api/paas/v4/embeddings", "openai-embeddings", "openai"),
  infer("/v1/images/generations", "openai-images", "openai"),
  infer("/api/v1/images/generations", "openai-images", "openai"),
  infer("/api/v3/images/generations", "ark-images", "volcengine"),
  infer("/api/paas/v4/images/generations", "zhipu-images", "openai"),
  infer("/v1/images/edits", "openai-image-edits", "openai"),
  infer("/api/v1/images/edits", "openai-image-edits", "openai"),
  infer("/api/v3/images/edits", "ark-image-edits", "volcengine"),
  { method: "POST", path: videoTasks, style: "video", operation: "create_task" },
  { method: "GET", path: videoTasks, style: "video", operation: "list_tasks" },
  { method: "GET", path: `${videoTasks}/{id}`, style: "video", operation: "show_task" },
  { method: "DELETE", path: `${videoTasks}/{id}`, style: "video", operation: "cancel_task" },
  ...openaiModels("/v1/models", "openai"),
  ...openaiModels("/api/v3/models", "volcengine"),
  ...openaiModels("/api/paas/v4/models", "openai"),
  { method: "GET", path: "/api/v1/models", style: "standard", operation: "list_public_models" },
  { method: "GET", path: "/api/v1/models/{model}", style: "standard", operation: "retrieve_public_model" },
  ...geminiModels("/api/v1beta/models"),
  ...geminiModels("/api/v1/gemini/v1beta/models"),
  { method: "POST", path: "/api/v1/keys", style: "standard", operation: "create_key" },
  { method: "GET", path: "/api/v1/keys", style: "standard", operation: "list_keys" },
  { method: "DELETE", path: "/api/v1/keys/{id}", style: "standard", operation: "revoke_key" },
  { method: "GET", path: "/api/v1/requests/{id}", style: "standard", operation: "retrieve_receipt" },
  { method: "GET", path: "/api/v1/calls", style: "standard", operation: "list_calls" },
  { method: "GET", path: "/api/v1/usage", style: "standard", operation: "report_period" },
  { method: "GET", path: "/api/business/v1/customer/usage", style: "problem", operation: "report_usage" },
  { method: "GET", path: "/api/business/v1/customer/balance", style: "problem", operation: "report_balance" },
];

/** The error style of a path that is no route: its family's, the first prefix that fits (contract §7.1). */
export const families: readonly (readonly [prefix: string, style: ErrorStyle])[] = [
  ["/v1/messages", "anthropic"],
  ["/v1", "openai"],
  ["/api/v1/messages", "anthropic_superset"],
  ["/api/anthropic", "anthropic_superset"],
  ["/api/v1/responses", "openai"],
  ["/api/v1/images", "openai"],
  ["/api/v0", "openai"],
  ["/api/paas", "openai"],
  ["/api/v3/contents", "video"],
  ["/api/v3", "volcengine"],
  ["/api/v1beta", "gemini"],
  ["/api/v1/gemini", "gemini"],
  ["/api/business", "problem"],
  ["", "standard"],
];
