/** What coding agents send beside plain chats, and what becomes of it where the call crosses. */
import type { Speech } from "./crossed.ts";

type Json = Record<string, unknown>;

export interface AgentField {
  client: Speech;
  /** What is sent, as the document names it. */
  what: string;
  body?: Json;
  headers?: Record<string, string>;
  /** The names by which it is dropped; with `allow` where the client lets tools go. */
  dropped?: string[];
  /** The end of a refusal's message, where the client does not let tools go. */
  refused?: string;
  /** What the provider's body shows of it, and what that means. */
  carried?: { shows: RegExp; as: string };
  /** What becomes of it, where no name tells it. */
  told?: string;
  /** The provider's own protocol refuses it too, or takes ids of its own alone. */
  passes?: false;
}

const parameters = { type: "object", properties: {} };
const hosted = (client: Speech, what: string, body: Json, name: string): AgentField => ({
  client,
  what,
  body,
  refused: "`x-gateway-allow-drop: tools`",
  dropped: [name],
});
const dropped = (client: Speech, what: string, body: Json, ...names: string[]): AgentField => ({
  client,
  what,
  body,
  dropped: names,
});
const carried = (client: Speech, what: string, body: Json, shows: RegExp, as: string): AgentField => ({
  client,
  what,
  body,
  carried: { shows, as },
});
const functionTool = { type: "function", name: "lookup", parameters };

export const agentFields: AgentField[] = [
  {
    client: "anthropic",
    what: "header `anthropic-beta`",
    headers: { "anthropic-beta": "context-management-2025-06-27" },
    dropped: [],
    told: "not sent on: it says how Anthropic reads its own bodies",
  },
  dropped(
    "anthropic",
    "`context_management`",
    { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
    "context_management",
  ),
  carried(
    "anthropic",
    "`output_config.effort`",
    { output_config: { effort: "high" } },
    /"(?:reasoning_effort|effort|thinkingLevel)":"high"/i,
    "the effort",
  ),
  carried(
    "anthropic",
    "`output_config.format`",
    { output_config: { format: { type: "json_schema", schema: { ...parameters, title: "Told" } } } },
    /"title":"Told"/,
    "the schema of the answer",
  ),
  hosted(
    "anthropic",
    "`mcp_servers`",
    { mcp_servers: [{ type: "url", name: "docs", url: "https://mcp.example" }] },
    "mcp_servers",
  ),
  { ...hosted("anthropic", "`container`", { container: "container_1" }, "container"), passes: false },
  carried(
    "anthropic",
    "`thinking.display`",
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } },
    /"(?:reasoning_effort|summary|includeThoughts)":/,
    "the wish to see reasoning; to OpenAI chat, which shows what it likes, it is dropped as `reasoning.include`",
  ),
  dropped(
    "anthropic",
    "`defer_loading` of a tool",
    { tools: [{ name: "lookup", input_schema: parameters, defer_loading: true }] },
    "tools.defer_loading",
  ),
  hosted(
    "anthropic",
    "tool `tool_search_tool_regex_20251119`",
    { tools: [{ type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" }] },
    "tools.tool_search_tool_regex_20251119",
  ),
  carried(
    "openai",
    "tool `custom`",
    { tools: [{ type: "custom", custom: { name: "patch" } }] },
    /"name":"patch"/,
    "a function with one text",
  ),
  carried(
    "openai",
    "`functions`, `function_call`",
    { functions: [{ name: "lookup", parameters }], function_call: { name: "lookup" } },
    /"name":"lookup"/,
    "tools and the choice among them; the answer's first call is a `function_call`",
  ),
  hosted("openai", "`web_search_options`", { web_search_options: {} }, "web_search_options"),
  dropped("openai", "`verbosity`", { verbosity: "low" }, "verbosity"),
  dropped("openai", "`prompt_cache_key`", { prompt_cache_key: "session-1" }, "prompt_cache_key"),
  dropped("openai", "`store`", { store: false }, "store"),
  hosted("responses", "tool `local_shell`", { tools: [{ type: "local_shell" }] }, "tools.local_shell"),
  hosted("responses", "tool `tool_search`", { tools: [{ type: "tool_search" }] }, "tools.tool_search"),
  hosted("responses", "tool `web_search`", { tools: [{ type: "web_search" }] }, "tools.web_search"),
  dropped(
    "responses",
    "`defer_loading` of a tool",
    { tools: [{ ...functionTool, defer_loading: true }] },
    "tools.defer_loading",
  ),
  carried(
    "responses",
    "tool `namespace`",
    { tools: [{ type: "namespace", name: "docs", description: "Docs", tools: [functionTool] }] },
    /"name":"docs__lookup"/,
    "functions with names of both",
  ),
  carried(
    "responses",
    "tool `custom`",
    { tools: [{ type: "custom", name: "apply_patch" }] },
    /"name":"apply_patch"/,
    "a function with one text",
  ),
  dropped(
    "responses",
    "a `reasoning` item of another model",
    {
      input: [
        { type: "message", role: "user", content: "Hello" },
        { type: "reasoning", summary: [], encrypted_content: "c2lnbmVk" },
        { type: "message", role: "assistant", content: "Hi" },
        { type: "message", role: "user", content: "Go on" },
      ],
    },
    "messages.parts.reasoning",
  ),
  dropped("responses", "`prompt_cache_key`", { prompt_cache_key: "session-1" }, "prompt_cache_key"),
  dropped("responses", "`text.verbosity`", { text: { verbosity: "low" } }, "text.verbosity"),
  {
    client: "responses",
    what: "`include` with `reasoning.encrypted_content`",
    body: { include: ["reasoning.encrypted_content"] },
    dropped: [],
  },
  { client: "responses", what: "`store: false`", body: { store: false }, dropped: [] },
  {
    client: "responses",
    what: "`previous_response_id`",
    body: { previous_response_id: "resp_1" },
    refused: "Send the earlier turns in `input`.",
    passes: false,
  },
];
