/**
 * THE table of routes (contract §4). The router, the pipeline, the README's check and the golden check
 * read it; nothing else knows a path. A trailing `{name}` takes the rest of the path, slashes included,
 * because model ids contain them (protocols.md §0.5).
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

export type ProtocolName = "openai-chat" | "anthropic";

interface RouteBase {
  method: "GET" | "POST" | "DELETE";
  path: string;
  style: ErrorStyle;
}

/** A call that is admitted, forwarded to a provider and metered. */
export interface InferenceRoute extends RouteBase {
  operation: "chat";
  protocol: ProtocolName;
}

/** A route the gateway answers by itself. */
export interface LocalRoute extends RouteBase {
  operation:
    | "list_models"
    | "retrieve_model"
    | "list_public_models"
    | "create_key"
    | "list_keys"
    | "revoke_key"
    | "report_usage"
    | "report_period"
    | "report_balance";
}

export type Route = InferenceRoute | LocalRoute;
export type LocalOperation = LocalRoute["operation"];

const chat = (path: string, style: ErrorStyle): InferenceRoute => ({
  method: "POST",
  path,
  style,
  operation: "chat",
  protocol: "openai-chat",
});

const messages = (path: string, style: ErrorStyle): InferenceRoute => ({
  method: "POST",
  path,
  style,
  operation: "chat",
  protocol: "anthropic",
});

export const routes: readonly Route[] = [
  chat("/v1/chat/completions", "openai"),
  chat("/api/v1/chat/completions", "standard"),
  chat("/api/v3/chat/completions", "volcengine"),
  chat("/api/v0/chat/completions", "openai"),
  chat("/api/paas/v4/chat/completions", "openai"),
  messages("/v1/messages", "anthropic"),
  messages("/api/v1/messages", "anthropic_superset"),
  messages("/api/anthropic/v1/messages", "anthropic_superset"),
  { method: "GET", path: "/v1/models", style: "openai", operation: "list_models" },
  { method: "GET", path: "/v1/models/{model}", style: "openai", operation: "retrieve_model" },
  { method: "GET", path: "/api/v1/models", style: "standard", operation: "list_public_models" },
  { method: "POST", path: "/api/v1/keys", style: "standard", operation: "create_key" },
  { method: "GET", path: "/api/v1/keys", style: "standard", operation: "list_keys" },
  { method: "DELETE", path: "/api/v1/keys/{id}", style: "standard", operation: "revoke_key" },
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
