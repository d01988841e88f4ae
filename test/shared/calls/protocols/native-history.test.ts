/** What tools that only one protocol has leave in a conversation that goes on with a provider of another protocol. */
import { describe, expect, test } from "vitest";
import { droppedOf, type Speech, useAnswering } from "#test/support/crossed.ts";

type Json = Record<string, unknown>;

const crossed = useAnswering();
const ask = crossed.askOther;

describe("what tools left in a conversation", () => {
  const said = "It is noon.";
  /** Conversations in which a hosted tool was called, with the names of what is dropped. */
  const past: [client: Speech, body: Json, dropped: string[]][] = [
    [
      "anthropic",
      {
        messages: [
          { role: "user", content: "When?" },
          {
            role: "assistant",
            content: [
              { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "now" } },
              { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
              { type: "text", text: said },
            ],
          },
          { role: "user", content: "Sure?" },
        ],
      },
      ["messages.content.server_tool_use", "messages.content.web_search_tool_result"],
    ],
    [
      "gemini",
      {
        contents: [
          { role: "user", parts: [{ text: "When?" }] },
          {
            role: "model",
            parts: [
              { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "c2ln" },
              { code_execution_result: { outcome: "OUTCOME_OK", output: "1" } },
              { text: said },
            ],
          },
          { role: "user", parts: [{ text: "Sure?" }] },
        ],
      },
      ["contents.parts.executableCode", "contents.parts.codeExecutionResult"],
    ],
    [
      "responses",
      {
        input: [
          { role: "user", content: "When?" },
          { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
          { type: "mcp_list_tools", id: "mcpl_1", server_label: "files", tools: [] },
          { role: "assistant", content: [{ type: "output_text", text: said, annotations: [] }] },
          { role: "user", content: "Sure?" },
        ],
      },
      ["input.web_search_call", "input.mcp_list_tools"],
    ],
  ];
  test.each(past)("by a provider is the past, and dropped by name: %s", async (client, body, dropped) => {
    const answer = await ask(client, body);
    expect(answer.status).toBe(200);
    expect(droppedOf(answer)).toEqual(expect.arrayContaining(dropped));
    const sent = JSON.stringify(crossed.sent());
    expect(sent).toContain(said);
    expect(sent).not.toMatch(/search|code|mcp|c2ln/i);
  });

  /** Conversations with a call of a client tool that has no counterpart. */
  const called: [client: Speech, body: Json, name: string, dropped: string][] = [
    [
      "openai",
      {
        messages: [
          { role: "user", content: "Shout" },
          {
            role: "assistant",
            content: said,
            tool_calls: [{ id: "call_1", type: "shell", shell: { name: "shout", input: "x" } }],
          },
          { role: "tool", tool_call_id: "call_1", content: "loud" },
        ],
      },
      "shell",
      "messages.tool_calls.shell",
    ],
    [
      "responses",
      {
        input: [
          { role: "user", content: said },
          { type: "local_shell_call", call_id: "call_1", action: { type: "exec", command: ["ls"] } },
          { type: "local_shell_call_output", call_id: "call_1", output: "loud" },
        ],
      },
      "local_shell_call",
      "input.local_shell_call",
    ],
  ];
  test.each(called)("by the client counts as a tool: %s", async (client, body, name, dropped) => {
    const refused = await ask(client, body);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`does not have the tool`);
    expect(refused.text).toContain(`\`${name}\``);
    const answer = await ask(client, body, "tools");
    expect(answer.status).toBe(200);
    expect(droppedOf(answer)).toContain(dropped);
    expect(JSON.stringify(crossed.sent())).toContain(said);
    expect(JSON.stringify(crossed.sent())).not.toMatch(/shout|loud/);
  });
});
