/** Tools that providers run for no more than their tokens: policies know each of them, and nothing else does. */
import { expect, test } from "vitest";
import {
  readDetails as messageDetails,
  readSwitches as ofMessages,
} from "#shared/calls/protocols/anthropic/switches.ts";
import { readSwitches as ofGemini } from "#shared/calls/protocols/gemini/switches.ts";
import { readSwitches as ofChats } from "#shared/calls/protocols/openai-chat/switches.ts";
import { readSwitches as ofResponses } from "#shared/calls/protocols/openai-responses/switches.ts";

const free = (field: string, name: string) => [{ field, kind: "tool", name, free: true }];

test.each([
  ["web_fetch_20250910", "web_fetch"],
  ["web_fetch_20260209", "web_fetch"],
  ["mcp_toolset", "mcp"],
])("a message with %s has the switch %s", (type, name) => {
  expect(ofMessages({ tools: [{ type, name: "x" }] })).toEqual(free("tools[0].type", name));
});

test("a message with servers of tools has one, and its code is free beside a search that brings it", () => {
  expect(ofMessages({ mcp_servers: [{ type: "url", url: "https://a.example" }] })).toEqual(
    free("mcp_servers", "mcp"),
  );
  const tools = [{ type: "web_fetch_20260209" }, { type: "code_execution_20250825" }];
  expect(ofMessages({ tools }).at(-1)).toEqual(free("tools[1].type", "code_execution")[0]);
  const counted = messageDetails({ server_tool_use: { web_fetch_requests: 2, web_search_requests: 1 } });
  expect(counted).toEqual({ calls: { web_search: 1 } });
});

test.each([
  ["urlContext", "url_context"],
  ["url_context", "url_context"],
  ["codeExecution", "code_execution"],
  ["fileSearch", "file_search"],
  ["mcpServers", "mcp"],
])("a Gemini request with %s has the switch %s", (member, name) => {
  const switches = ofGemini({ tools: [{ [member]: {} }] }, { responseModalities: ["TEXT"] });
  expect(switches).toMatchObject([{ kind: "tool", name, free: true }]);
});

test("a chat and a response with a server of tools have one", () => {
  expect(ofChats({ tools: [{ type: "mcp" }] }, 1)).toEqual(free("tools[0].type", "mcp"));
  expect(ofResponses({ tools: [{ type: "mcp", server_label: "a" }] })).toEqual(free("tools[0].type", "mcp"));
});

test("what the client runs has none", () => {
  expect(ofMessages({ tools: [{ name: "f" }, { type: "bash_20250124" }] })).toEqual([]);
  expect(ofChats({ tools: [{ type: "function" }] }, 1)).toEqual([]);
  expect(ofResponses({ tools: [{ type: "function" }, { type: "apply_patch" }] })).toEqual([]);
});
