/** Ways of vendors that are no protocol's word, and yet no failure: what they answer, and are asked, crosses whole. */
import { expect, test } from "vitest";
import { framesIn, streamed, useCrossed } from "#test/support/crossed.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();

const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
  id: "c",
  created: 1,
  choices: [{ index: 0, delta, finish_reason }],
});
const call = (fragment: Json) => ({ tool_calls: [{ index: 0, ...fragment }] });
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

test.each([
  ["content beside", [chunk({ content: "\n", ...call({ function: { arguments: "1}" } }) })]],
  ["content between", [chunk({ content: "\n" }), chunk(call({ function: { arguments: "1}" } }))]],
  ["reasoning between", [chunk({ reasoning_content: " " }), chunk(call({ function: { arguments: "1}" } }))]],
])("white space as %s a call's fragments does not end it", async (_, rest) => {
  const opened = chunk(call({ id: "a", type: "function", function: { name: "f", arguments: '{"a":' } }));
  crossed.upstream.on(
    streamed(
      "openai",
      [opened, ...rest, chunk({}, "tool_calls"), { choices: [], usage }],
      "data: [DONE]\n\n",
    ),
  );
  const { text } = await crossed.ask("anthropic", "openai", {}, true);
  const deltas = framesIn(text).flatMap(({ delta }) => (delta as Json | undefined)?.partial_json ?? []);
  expect(deltas.join("")).toBe('{"a":1}');
  expect(framesIn(text).at(-1)).toEqual({ type: "message_stop" });
});

test("a sign of life before a response has begun is passed over", async () => {
  const response = { id: "resp_1", created_at: 1, output: [] };
  crossed.upstream.on(
    streamed("responses", [
      { type: "keepalive", sequence_number: 0 },
      { type: "response.created", response },
      { type: "response.output_text.delta", delta: "Hi", output_index: 0 },
      { type: "response.completed", response: { ...response, status: "completed", usage: null } },
    ]),
  );
  const { text } = await crossed.ask("openai", "responses", {}, true);
  const choices = framesIn(text).flatMap((each) => each.choices as { delta: Json }[]);
  expect(choices.map(({ delta }) => delta.content ?? "").join("")).toBe("Hi");
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("instructions alone are something to answer, also for Gemini", async () => {
  await crossed.ask("openai", "gemini", { messages: [{ role: "system", content: "Say hello." }] });
  expect(crossed.sent()).toMatchObject({
    systemInstruction: { parts: [{ text: "Say hello." }] },
    contents: [{ role: "user", parts: [{ text: "." }] }],
  });
});

test.each([
  [["openai", "zhipu"], { max_tokens: 100 }],
  [["openai"], { max_completion_tokens: 100 }],
])("a maximum reaches a provider that speaks %j under the name it knows", async (dialects, told) => {
  const provider = crossed.memory.deps.catalog.provider("openai");
  const urls = dialects.map((dialect) => [dialect, `${crossed.upstream.url}/v1`]);
  Object.assign(provider as object, { protocols: Object.fromEntries(urls) });
  await crossed.ask("anthropic", "openai");
  const maxima = Object.entries(crossed.sent()).filter(([key]) => key.startsWith("max_"));
  expect(Object.fromEntries(maxima)).toEqual(told);
});
