/** What Claude Code sends that no other protocol has: results of a search for tools, and compacted conversations. */
import { expect, test } from "vitest";
import { withoutAttribution } from "#shared/calls/chat/attribution.ts";
import { decodeRequest } from "#shared/calls/protocols/anthropic/crossing/request.ts";

type Json = Record<string, unknown>;

const ask = (...messages: Json[]) => decodeRequest({ model: "m", max_tokens: 9, messages });
const text = (said: string) => ({ type: "text", text: said });

test("a tool that a search has found is named in its result", () => {
  const { request } = ask(
    { role: "user", content: "Go" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ToolSearch", input: {} }] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "tool_reference", tool_name: "mcp__mail__send" }],
        },
      ],
    },
  );
  expect(request.messages.at(-1)).toEqual({
    role: "user",
    parts: [{ type: "tool_result", call_id: "toolu_1", content: [text("Found the tool mcp__mail__send.")] }],
  });
});

test("what a client has found is text under its title and address, also in a tool's result", () => {
  const found = {
    type: "search_result",
    title: "Houses",
    source: "https://houses.test",
    citations: { enabled: true },
    content: [text("One."), text("Two.")],
  };
  const called = { type: "tool_use", id: "toolu_1", name: "search", input: {} };
  const { request, dropped } = ask(
    { role: "user", content: [found] },
    { role: "assistant", content: [called] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [found] }] },
  );
  const told = text("Houses\nhttps://houses.test\nOne.\nTwo.");
  expect(request.messages.map(({ parts }) => parts)).toEqual([
    [told],
    [expect.objectContaining({ type: "tool_call" })],
    [{ type: "tool_result", call_id: "toolu_1", content: [told] }],
  ]);
  expect(dropped).toEqual(["messages.content.citations", "messages.content.content.citations"]);
});

test("a compacted conversation begins with its summary", () => {
  const { request, dropped } = ask(
    { role: "user", content: "One" },
    { role: "assistant", content: [{ type: "compaction", content: "Old." }] },
    { role: "user", content: "Two" },
    {
      role: "assistant",
      content: [text("gone"), { type: "compaction", content: "We built a house." }, text("On.")],
    },
    { role: "user", content: "Three" },
  );
  expect(request.messages).toEqual([
    { role: "user", parts: [text("We built a house.")] },
    { role: "assistant", parts: [text("On.")] },
    { role: "user", parts: [text("Three")] },
  ]);
  expect(dropped).toEqual(["messages.content.compaction"]);
});

test("a compaction that failed says nothing, and takes nothing away", () => {
  const { request } = ask(
    { role: "user", content: "One" },
    { role: "assistant", content: [{ type: "compaction", content: null }, text("On.")] },
    { role: "user", content: "Two" },
  );
  expect(request.messages).toHaveLength(3);
});

test("errors name a turn by its place before the compaction", () => {
  const turns = [
    { role: "user", content: "One" },
    { role: "assistant", content: [{ type: "compaction", content: "Sum." }] },
    { role: "user", content: [{ type: "odd" }] },
  ];
  expect(() => ask(...turns)).toThrow("messages[2].content[0].type");
});

const attribution = (version: string) =>
  `x-anthropic-billing-header: cc_version=${version}; cc_entrypoint=cli; \\"x\\"`;

test("the line of attribution crosses to nobody", () => {
  const system = [text(attribution("2.1.332.1")), text("You are Claude Code.")];
  const { request } = decodeRequest({
    model: "m",
    max_tokens: 9,
    system,
    messages: [
      { role: "user", content: "Hi" },
      { role: "system", content: attribution("2") },
    ],
  });
  expect(request.system).toEqual([text("You are Claude Code.")]);
  expect(request.messages).toHaveLength(1);
});

test("a cached answer does not depend on it, and on every other letter", () => {
  const written = (version: string, more = "") =>
    Buffer.from(JSON.stringify([text(attribution(version)), text(`Be brief${more}.`)]));
  expect(withoutAttribution(written("1"))).toEqual(withoutAttribution(written("2")));
  expect(withoutAttribution(written("1"))).not.toEqual(withoutAttribution(written("1", "«ü»")));
  const plain = Buffer.from('{"a":"x-anthropic"}');
  expect(withoutAttribution(plain)).toBe(plain);
});
