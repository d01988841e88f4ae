/** Conversations that a vendor reads as a whole: ids, tools, and who speaks first and last (crossings.md "Bounds"). */
import { describe, expect, test } from "vitest";
import { crossed } from "#test/support/crossed-pairs.ts";

const said = { role: "user", content: "Hello" };
const called = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "weather", arguments: "{}" } })),
});
const answered = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];

/** What a provider of this protocol is sent for these messages of OpenAI chat. */
const sent = (to: "anthropic" | "gemini" | "openai-responses", body: object, traits = {}) => {
  const found = crossed("openai-chat", to, { ...body }, { model: "m", traits });
  if (found.refused !== undefined) throw new Error(found.refused);
  return found.body as { messages?: unknown; contents?: unknown; input?: unknown };
};

describe("to Anthropic", () => {
  test("calls whose ids begin again have ids of their own, as have their results, in each order", () => {
    const messages = [
      ...[said, called("call_0", "call_1"), answered("call_1", "b"), answered("call_0", "a")],
      ...[called("call_0", "call_0"), answered("call_0", "c"), answered("call_0", "d")],
    ];
    const blocks = JSON.stringify(sent("anthropic", { messages, tools }).messages);
    expect([...blocks.matchAll(/"tool_use","id":"(\w+)"/g)].map(([, id]) => id)).toEqual([
      ...["call_0", "call_1", "call_0_2", "call_0_3"],
    ]);
    expect([...blocks.matchAll(/"tool_use_id":"(\w+)".*?"text":"(\w)"/g)].map(([, ...own]) => own)).toEqual([
      ...[
        ["call_1", "b"],
        ["call_0", "a"],
        ["call_0_2", "c"],
        ["call_0_3", "d"],
      ],
    ]);
  });

  test("what was called is given as tools that nobody may call, where the request gives none", () => {
    const messages = [said, called("call_0"), answered("call_0", "sunny"), said];
    expect(sent("anthropic", { messages })).toMatchObject({
      tools: [{ name: "weather", input_schema: { type: "object", properties: {} } }],
      tool_choice: { type: "none" },
    });
    expect(sent("anthropic", { messages, tools })).not.toHaveProperty("tool_choice");
    expect(sent("anthropic", { messages: [said] })).not.toHaveProperty("tools");
  });
});

const wordless = { anthropic: "content", gemini: "parts" } as const;

describe.each(["anthropic", "gemini"] as const)("to %s", (to) => {
  const turns = (messages: object[], traits = {}) => {
    const { messages: given, contents } = sent(to, { messages, tools }, traits);
    return (given ?? contents) as { role: string; content?: object[]; parts?: object[] }[];
  };
  const isWordless = (turn?: { role: string; content?: object[]; parts?: object[] }) =>
    turn?.role === "user" && JSON.stringify(turn[wordless[to]]).includes('"text":"."');

  test("a conversation that begins with a call gets a turn before it", () => {
    const [first, second] = turns([called("call_0"), answered("call_0", "sunny")]);
    expect(isWordless(first)).toBe(true);
    expect(second?.role).toMatch(/assistant|model/);
  });

  test("a last turn of the model's is followed by one where the model does not go on with it", () => {
    const messages = [said, { role: "assistant", content: "Once upon" }];
    expect(isWordless(turns(messages, { prefill: false }).at(-1))).toBe(true);
    expect(turns(messages).at(-1)?.role).toMatch(/assistant|model/);
  });
});

test("to OpenAI chat, a file of text is its words, and a conversation without a word has one message", () => {
  const file = { source: { type: "text", media_type: "text/plain", data: "Über" }, title: "a.txt" };
  const ask = (content: unknown) =>
    crossed("anthropic", "openai-chat", { max_tokens: 9, messages: [{ role: "user", content }] });
  expect(
    ask([
      { type: "document", ...file },
      { type: "text", text: "What is it?" },
    ]),
  ).toMatchObject({
    body: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a.txt\n\nÜber" },
            { type: "text", text: "What is it?" },
          ],
        },
      ],
    },
  });
  expect(crossed("gemini", "openai-chat", { contents: [{ parts: [{ text: "" }] }] })).toMatchObject({
    body: { messages: [{ role: "user", content: "." }] },
  });
});

test("to Responses, a conversation without a word has one item", () => {
  expect(sent("openai-responses", { messages: [{ role: "user", content: "" }] }).input).toEqual([
    { type: "message", role: "user", content: [{ type: "input_text", text: "." }] },
  ]);
});
