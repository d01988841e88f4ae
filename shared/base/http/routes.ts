/**
 * The table of all routes (contract §4); the first row that fits wins. A `{name}` takes the rest of the path up to what
 * follows it in the row, slashes too, as model ids have them (protocols.md §0.5).
 */

export type ErrorStyle =
  | "standard"
  | "openai"
  | "anthropic"
  | "anthropic_superset"
  | "volcengine"
  | "gemini"
  | "video"
  | "problem"
  | "aws";

export type ProtocolName =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "bedrock-converse"
  | "bedrock-invoke"
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

/**
 * A vendor's client, known by a header of its own. On some paths the clients of two vendors expect different things.
 */
export type VendorClient = "anthropic" | "gemini";

/** Protocols whose calls only count a request's tokens. */
export type CountName = "anthropic-count" | "gemini-count";

interface RouteBase {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  style: ErrorStyle;
  /** The row is for this client only. It stands before the row for everybody. */
  client?: VendorClient;
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
    | "list_routes"
    | "create_key"
    | "list_keys"
    | "change_key"
    | "revoke_key"
    | "rotate_key"
    | "disable_key"
    | "enable_key"
    | "show_cache"
    | "empty_cache"
    | "take_feedback"
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

/** What is the same for everybody and needs no key (shared/base/http/README.md "Pages"). HEAD asks for it too. */
export interface PageRoute extends RouteBase {
  operation: "page";
}

export type Route = InferenceRoute | CountRoute | LocalRoute | PageRoute;
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

/** Lists the models that a key may use, or shows one. The style is also the form of the answer. */
const models = (path: string, style: ErrorStyle, client?: VendorClient): Route[] => [
  { method: "GET", path, style, operation: "list_models", ...(client && { client }) },
  { method: "GET", path: `${path}/{model}`, style, operation: "retrieve_model", ...(client && { client }) },
];

/** The same for all models, without a key. */
const publicModels = (path: string, style: ErrorStyle, client?: VendorClient): Route[] => [
  { method: "GET", path, style, operation: "list_public_models", ...(client && { client }) },
  {
    method: "GET",
    path: `${path}/{model}`,
    style,
    operation: "retrieve_public_model",
    ...(client && { client }),
  },
];

const page = (path: string): PageRoute => ({ method: "GET", path, style: "standard", operation: "page" });

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
  infer("/model/{model}/converse", "bedrock-converse", "aws"),
  infer("/model/{model}/converse-stream", "bedrock-converse", "aws"),
  infer("/model/{model}/invoke", "bedrock-invoke", "aws"),
  infer("/model/{model}/invoke-with-response-stream", "bedrock-invoke", "aws"),
  count("/v1/messages/count_tokens", "anthropic-count", "anthropic"),
  count("/api/v1/messages/count_tokens", "anthropic-count", "anthropic_superset"),
  count("/api/anthropic/v1/messages/count_tokens", "anthropic-count", "anthropic_superset"),
  ...geminiActions("/v1beta/models"),
  ...geminiActions("/v1/models"),
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
  ...models("/v1/models", "anthropic", "anthropic"),
  ...models("/v1/models", "gemini", "gemini"),
  ...models("/v1/models", "openai"),
  ...models("/api/v3/models", "volcengine"),
  ...models("/api/paas/v4/models", "openai"),
  { method: "GET", path: "/api/v1/models/{model}/routes", style: "standard", operation: "list_routes" },
  ...publicModels("/api/v1/models", "anthropic_superset", "anthropic"),
  ...publicModels("/api/v1/models", "gemini", "gemini"),
  ...publicModels("/api/v1/models", "standard"),
  ...models("/api/anthropic/v1/models", "anthropic_superset"),
  ...models("/v1beta/models", "gemini"),
  ...models("/api/v1beta/models", "gemini"),
  ...models("/api/v1/gemini/v1beta/models", "gemini"),
  { method: "POST", path: "/api/v1/keys", style: "standard", operation: "create_key" },
  { method: "GET", path: "/api/v1/keys", style: "standard", operation: "list_keys" },
  { method: "PATCH", path: "/api/v1/keys/{id}", style: "standard", operation: "change_key" },
  { method: "DELETE", path: "/api/v1/keys/{id}", style: "standard", operation: "revoke_key" },
  { method: "POST", path: "/api/v1/keys/{id}/rotate", style: "standard", operation: "rotate_key" },
  { method: "POST", path: "/api/v1/keys/{id}/disable", style: "standard", operation: "disable_key" },
  { method: "POST", path: "/api/v1/keys/{id}/enable", style: "standard", operation: "enable_key" },
  { method: "GET", path: "/api/v1/cache", style: "standard", operation: "show_cache" },
  { method: "DELETE", path: "/api/v1/cache", style: "standard", operation: "empty_cache" },
  { method: "POST", path: "/api/v1/cache/feedback", style: "standard", operation: "take_feedback" },
  { method: "GET", path: "/api/v1/requests/{id}", style: "standard", operation: "retrieve_receipt" },
  { method: "GET", path: "/api/v1/calls", style: "standard", operation: "list_calls" },
  { method: "GET", path: "/api/v1/usage", style: "standard", operation: "report_period" },
  { method: "GET", path: "/api/business/v1/customer/usage", style: "problem", operation: "report_usage" },
  { method: "GET", path: "/api/business/v1/customer/balance", style: "problem", operation: "report_balance" },
  ...["/", "/health", "/openapi.json", "/docs", "/docs/{file}"].map(page),
];

/** The error style of a family of paths, and the styles for clients that are known by their headers. */
type Family = readonly [prefix: string, style: ErrorStyle, own?: Partial<Record<VendorClient, ErrorStyle>>];

/** The error styles of paths that are no route. The first prefix that fits decides (contract §7.1). */
export const families: readonly Family[] = [
  ["/v1/messages", "anthropic"],
  ["/v1", "openai", { anthropic: "anthropic", gemini: "gemini" }],
  ["/v1beta", "gemini"],
  ["/upload", "gemini"],
  ["/ws", "gemini"],
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
  ["/api/upload", "gemini"],
  ["/api/ws", "gemini"],
  ["/api/business", "problem"],
  ...["/model", "/guardrail", "/guardrail-checks", "/async-invoke"].map((prefix): Family => [prefix, "aws"]),
  // Bedrock's programs ask its other host for these, by the same address where they are given one for all.
  ...["/foundation-models", "/inference-profiles"].map((prefix): Family => [prefix, "aws"]),
  ["", "standard", { anthropic: "anthropic_superset", gemini: "gemini" }],
];
