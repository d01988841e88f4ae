/** A coding agent that names an unknown model reads the line that sets it up for the nearest one. */
import { expect, test } from "vitest";
import { programs } from "#shared/calls/gateway/program-line.ts";
import { call } from "#test/support/call.ts";
import { useScenario } from "#test/support/scenario.ts";
import { type AgentName, agentBlocks, agentSetup } from "../../../../console/agents.ts";

const scenario = useScenario();
const messages = [{ role: "user", content: "Hello" }];

/** How the programs of November 2026 name themselves. */
const agents = {
  "Claude Code": "claude-cli/2.1.332 (external, sdk-cli)",
  Codex: "codex_exec/0.171.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.171.0)",
  "Gemini CLI": "GeminiCLI-tui/0.61.0/gemini-3.1-pro-preview (linux; x64; terminal)",
  opencode: "opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14",
} as const;

async function told(model: string, userAgent?: string, headers: Record<string, string> = {}) {
  const sent = { ...scenario.bearer(), ...headers, ...(userAgent && { "user-agent": userAgent }) };
  const reply = await call(scenario.serve, "/v1/chat/completions", {
    headers: sent,
    body: { model, messages },
  });
  return (reply.json().error as { message: string }).message;
}

test.each(programs)("$name is told its line", async ({ name, line }) => {
  const message = await told("test/model-2", agents[name as keyof typeof agents]);
  expect(message).toMatch(/^The model `test\/model-2` does not exist\. Did you mean `test\/model-1`\? For /);
  expect(message).toContain(`For ${name}, this line`);
  expect(message).toContain(`: ${line("test/model-1")} (`);
});

test.each(programs)("the line of $name is among those that people are shown", ({ name, place, line }) => {
  const call = { url: "https://gateway.example", key: "sk", model: "test/model-1" };
  const blocks = agentBlocks(agentSetup(name as AgentName, call));
  const own = blocks.find(({ text }) => text.split("\n").includes(line("test/model-1")));
  expect(own).toBeDefined();
  expect(place).toContain(own?.file ?? "shell");
});

test("no line where no model is near, the program is another, or the name is not the request's", async () => {
  expect(await told("acme/none", agents.Codex)).toBe("The model `acme/none` does not exist.");
  expect(await told("test/model-2", "OpenAI/Python 2.20.0")).toMatch(/Did you mean `test\/model-1`\?$/);
  expect(await told("test/model-2")).toMatch(/Did you mean `test\/model-1`\?$/);
  const header = { "x-gateway-fallback": "test/model-2" };
  expect(await told("test/model-1", agents.Codex, header)).not.toContain("For Codex");
});
