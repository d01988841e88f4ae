/**
 * Tools that only the client's own protocol has, in a request that has to cross. Every protocol refuses them alike,
 * before anything is held. They are left out where the client allows it.
 */
import { describe, expect, test } from "vitest";
import { call } from "#test/support/call.ts";
import { droppedOf, least, modelOf, type Speech, speeches, useAnswering } from "#test/support/crossed.ts";

type Json = Record<string, unknown>;

const crossed = useAnswering();
const ask = crossed.askOther;

/** A function in each protocol's own words. */
const functions: Record<Speech, Json> = {
  openai: { type: "function", function: { name: "look" } },
  anthropic: { name: "look", input_schema: { type: "object", properties: {} } },
  gemini: { functionDeclarations: [{ name: "look" }] },
  responses: { type: "function", name: "look" },
};

/** One entry of `tools` that only its own protocol has, with the name it is told by. */
const tools: [client: Speech, name: string, tool: Json][] = [
  ["openai", "web_search", { type: "web_search", web_search: { enable: true } }],
  ["openai", "retrieval", { type: "retrieval", retrieval: { knowledge_id: "k" } }],
  ["openai", "web_browser", { type: "web_browser" }],
  ["anthropic", "web_search_20250305", { type: "web_search_20250305", name: "web_search" }],
  ["anthropic", "code_execution_20250825", { type: "code_execution_20250825", name: "code_execution" }],
  ["anthropic", "bash_20250124", { type: "bash_20250124", name: "bash" }],
  ["anthropic", "text_editor_20250728", { type: "text_editor_20250728", name: "edit" }],
  ["anthropic", "mcp_toolset", { type: "mcp_toolset", mcp_server_name: "files" }],
  ["gemini", "googleSearch", { googleSearch: {} }],
  ["gemini", "googleSearch", { google_search: {} }],
  ["gemini", "codeExecution", { codeExecution: {} }],
  ["gemini", "urlContext", { urlContext: {} }],
  ["gemini", "computerUse", { computerUse: { environment: "ENVIRONMENT_BROWSER" } }],
  ["responses", "web_search", { type: "web_search" }],
  ["responses", "code_interpreter", { type: "code_interpreter", container: { type: "auto" } }],
  ["responses", "file_search", { type: "file_search", vector_store_ids: ["v"] }],
  ["responses", "computer_use_preview", { type: "computer_use_preview" }],
  ["responses", "mcp", { type: "mcp", server_label: "files", server_url: "https://mcp.example" }],
  ["responses", "image_generation", { type: "image_generation" }],
  ["responses", "local_shell", { type: "local_shell" }],
  ["responses", "apply_patch", { type: "apply_patch" }],
];

/** Members of the body that switch a hosted tool on. */
const members: [client: Speech, name: string, member: Json][] = [
  ["openai", "web_search_options", { web_search_options: {} }],
  ["anthropic", "mcp_servers", { mcp_servers: [{ type: "url", name: "files", url: "https://mcp.example" }] }],
  ["anthropic", "container", { container: { skills: [] } }],
];

const wishes: [client: Speech, name: string, body: Json, dropped: string][] = [
  ...tools.map(([client, name, tool]): (typeof wishes)[number] => [
    client,
    name,
    { tools: [functions[client], tool] },
    `tools.${name}`,
  ]),
  ...members.map(([client, name, member]): (typeof wishes)[number] => [client, name, member, name]),
];

describe("a tool that the provider does not have", () => {
  test.each(wishes)("is refused: %s, %s", async (client, name, body) => {
    const answer = await ask(client, body);
    expect(answer.status).toBe(400);
    const { message } = answer.json().error as { message: string };
    expect(message).toMatch(/^The provider of this model (cannot run|does not have) the tool `[^.]*\.$/);
    expect(message).toContain(`\`${name}\``);
    expect(message).toContain("`x-gateway-allow-drop: tools`");
    expect(crossed.upstream.requests).toEqual([]);
    const { holds, intents, events } = crossed.memory;
    expect([holds, intents, events]).toEqual([[], [], []]);
  });

  test.each(wishes)("is left out where the client allows it: %s, %s", async (client, name, body, dropped) => {
    const answer = await ask(client, body, "tools");
    expect(answer.status).toBe(200);
    expect(droppedOf(answer)).toContain(dropped);
    expect(JSON.stringify(crossed.sent())).not.toContain(name);
    if (body.tools) expect(JSON.stringify(crossed.sent())).toContain("look");
  });

  test("all of several are named, and what is no plain name by its place", async () => {
    const odd = { type: "<b>" };
    const answer = await ask("responses", { tools: [odd, { type: "web_search" }, { type: "web_search" }] });
    const { message } = answer.json().error as { message: string };
    expect(message).toContain("cannot run the tools `tools[0]`, `web_search`: leave them out");
  });

  test("is the provider's own affair where it speaks the client's protocol", async () => {
    const tool = { type: "custom", name: "shout" };
    expect((await crossed.ask("responses", "responses", { tools: [tool] })).status).toBe(200);
    expect(crossed.sent().tools).toEqual([tool]);
  });

  test.each(["", "all", "tools,temperature", "Tools"])(
    "the header takes no other value: %j",
    async (value) => {
      const answer = await ask("openai", {}, value);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain("x-gateway-allow-drop");
      expect(crossed.memory.holds).toEqual([]);
    },
  );
});

describe("the choice among tools of which some are left out", () => {
  const native: Record<Speech, Json> = {
    openai: { type: "retrieval", retrieval: { knowledge_id: "shout" } },
    anthropic: { type: "bash_20250124", name: "shout" },
    gemini: { codeExecution: {} },
    responses: { type: "apply_patch" },
  };
  /** Choices of the native tool, or of one tool at all. */
  const named: [client: Speech, choice: Json][] = [
    ["openai", { tool_choice: { type: "retrieval", retrieval: { knowledge_id: "shout" } } }],
    ["anthropic", { tool_choice: { type: "tool", name: "shout", disable_parallel_tool_use: true } }],
    ["responses", { tool_choice: { type: "apply_patch" } }],
  ];
  test.each(named)("goes with the tool that it names: %s", async (client, choice) => {
    await ask(client, { tools: [functions[client], native[client]], ...choice }, "tools");
    const { tool_choice } = crossed.sent();
    expect([undefined, "auto"]).toContain((tool_choice as Json)?.type ?? tool_choice);
  });

  const any: [client: Speech, choice: Json][] = [
    ["openai", { tool_choice: "required", parallel_tool_calls: false }],
    ["anthropic", { tool_choice: { type: "any", disable_parallel_tool_use: true } }],
    ["gemini", { toolConfig: { functionCallingConfig: { mode: "ANY" } } }],
    ["responses", { tool_choice: "required", parallel_tool_calls: false }],
  ];
  test.each(any)("is none where no tool is left: %s", async (client, choice) => {
    for (const to of speeches.filter((speech) => speech !== client)) {
      crossed.headers["x-gateway-allow-drop"] = "tools";
      const answer = await crossed.ask(client, to, { tools: [native[client]], ...choice });
      expect(answer.status).toBe(200);
      const { tools: left, tool_choice, toolConfig, parallel_tool_calls } = crossed.sent();
      expect([left, tool_choice, toolConfig, parallel_tool_calls]).toEqual(Array(4).fill(undefined));
    }
  });

  test.each(any)("holds for the tools that are left: %s", async (client, choice) => {
    await ask(client, { tools: [native[client], functions[client]], ...choice }, "tools");
    expect(JSON.stringify(crossed.sent())).toMatch(/"required"|"any"|"ANY"/);
  });

  test("keeps the functions among allowed tools, and allows none where there are none", async () => {
    const asked = (mode: string, ...allowed: Json[]) => ({
      tools: [functions.openai, native.openai],
      tool_choice: { type: "allowed_tools", allowed_tools: { mode, tools: allowed } },
    });
    await ask("openai", asked("required", native.openai as Json, functions.openai as Json), "tools");
    expect(crossed.sent()).toMatchObject({ tools: [{ name: "look" }], tool_choice: { type: "any" } });
    await ask("openai", asked("required", native.openai as Json), "tools");
    expect(crossed.sent()).toMatchObject({ tools: [{ name: "look" }], tool_choice: { type: "none" } });
    const flat = {
      type: "allowed_tools",
      mode: "auto",
      tools: [native.responses, functions.responses],
    };
    await ask("responses", { tools: [functions.responses, native.responses], tool_choice: flat }, "tools");
    expect(JSON.stringify(crossed.sent())).toContain("look");
  });
});

test("a count of tokens sends no tool anywhere, and is not refused", async () => {
  const { serve, headers } = crossed;
  const tool = { type: "web_search_20250305", name: "web_search" };
  const body = { ...least.anthropic, model: modelOf("openai"), tools: [tool] };
  expect((await call(serve, "/v1/messages/count_tokens", { headers, body })).status).toBe(200);
});
