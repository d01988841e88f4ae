/** Cache points on the way to Anthropic: the client's own, and those that the gateway places. */
import { describe, expect, test } from "vitest";
import { encodeRequest } from "#shared/calls/protocols/anthropic/crossing/request.ts";
import { decodeRequest } from "#shared/calls/protocols/openai-chat/crossing/request.ts";
import { wholeAnswers } from "#test/support/answers.ts";
import { useCrossed } from "#test/support/crossed.ts";

type Json = Record<string, unknown>;

const mark = { cache_control: { type: "ephemeral" } };
const tool = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
const turns = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "One" },
  { role: "assistant", content: "Two" },
  { role: "user", content: "Three" },
  { role: "assistant", content: "Four" },
  { role: "user", content: "Five" },
];
const encode = (body: Json, places_points?: boolean): Json => {
  const { request } = decodeRequest({ model: "m", ...body });
  return encodeRequest(request, {
    model: "m",
    output_tokens: 9,
    ...(places_points !== undefined && { places_points }),
  }).body;
};
/** The texts and names that end in a point. */
const pointed = ({ tools, system, messages }: Json): unknown[] => {
  const blocks = [tools, system, ...(messages as Json[]).map(({ content }) => content)].flatMap(
    (list) => (list ?? []) as Json[],
  );
  return blocks
    .filter((block) => "cache_control" in block)
    .map(({ text, name, tool_use_id }) => text ?? name ?? tool_use_id);
};

test("stand at the end of the tools, of the instructions and of the last two turns of the user", () => {
  const body = encode(
    { messages: turns, tools: [{ ...tool, function: { ...tool.function, name: "e" } }, tool] },
    true,
  );
  expect(pointed(body)).toEqual(["f", "Be brief.", "Three", "Five"]);
  expect((body.messages as Json[]).at(-1)).toEqual({
    role: "user",
    content: [{ type: "text", text: "Five", ...mark }],
  });
});

test("of the client count instead, in each place where OpenRouter and LiteLLM read them", () => {
  const body = {
    messages: [
      { role: "system", content: [{ type: "text", text: "Be brief.", ...mark }] },
      { role: "user", content: "One", ...mark },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: "done", ...mark },
      { role: "user", content: "Five" },
    ],
    tools: [{ ...tool, ...mark }],
  };
  for (const places of [true, false])
    expect(pointed(encode(body, places))).toEqual(["f", "Be brief.", "One", "c1"]);
  const five = {
    ...body,
    messages: [...body.messages.slice(0, -1), { role: "user", content: "Five", ...mark }],
  };
  expect(pointed(encode(five))).toEqual(["Be brief.", "One", "c1", "Five"]);
  expect(decodeRequest({ model: "m", ...body }).dropped).toEqual([]);
});

describe("through the gateway", () => {
  const crossed = useCrossed();
  const sent = async (body: Json, wish?: string) => {
    crossed.upstream.json(wholeAnswers.anthropic);
    delete crossed.headers["x-gateway-cache-points"];
    if (wish !== undefined) crossed.headers["x-gateway-cache-points"] = wish;
    const reply = await crossed.ask("openai", "anthropic", body);
    return reply.status === 200 ? pointed(crossed.sent()).length : reply.status;
  };

  test("a request with tools has them, one without has none, and the header says otherwise", async () => {
    const tools = [tool];
    expect(await sent({ tools })).toBe(2);
    expect(await sent({ tools }, "off")).toBe(0);
    expect(await sent({})).toBe(0);
    expect(await sent({}, "auto")).toBe(1);
    expect(await sent({}, "on")).toBe(400);
  });
});
