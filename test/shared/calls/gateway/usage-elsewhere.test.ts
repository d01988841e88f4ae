/** Tokens that providers report beside the counters where one looks for them. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import { frame, namedFrame, streamOf, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

const factsOf = (name: "openai-chat" | "anthropic" | "openai-responses", usage: object) =>
  protocols[name].readReply(Buffer.from(JSON.stringify({ usage }))).usage;
const four = (
  input_tokens: number,
  cache_read_tokens: number,
  cache_write_tokens: number,
  output_tokens: number,
) => ({
  ...noUsage,
  input_tokens,
  cache_read_tokens,
  cache_write_tokens,
  output_tokens,
});

describe("OpenAI's form", () => {
  const prompt = { prompt_tokens: 1000, completion_tokens: 10 };
  const reasoning = { completion_tokens_details: { reasoning_tokens: 90 } };

  test.each([
    [
      "reasoning beside the completion (xAI)",
      { ...prompt, ...reasoning, total_tokens: 1100 },
      four(1000, 0, 0, 100),
    ],
    [
      "reasoning within it",
      { ...prompt, completion_tokens: 100, ...reasoning, total_tokens: 1100 },
      four(1000, 0, 0, 100),
    ],
    ["a total alone that has more", { ...prompt, total_tokens: 1050 }, four(1000, 0, 0, 50)],
    ["a total that has less", { ...prompt, total_tokens: 3 }, four(1000, 0, 0, 10)],
    ["a total of nonsense", { ...prompt, total_tokens: "many" }, four(1000, 0, 0, 10)],
    [
      "Anthropic's names of the cache, in the prompt",
      { ...prompt, total_tokens: 1010, cache_read_input_tokens: 400, cache_creation_input_tokens: 100 },
      four(500, 400, 100, 10),
    ],
    [
      "the same beside the prompt, as the total shows",
      { ...prompt, total_tokens: 1510, cache_read_input_tokens: 400, cache_creation_input_tokens: 100 },
      four(1000, 400, 100, 10),
    ],
    ["writes alone", { ...prompt, cache_creation_input_tokens: 100 }, four(900, 0, 100, 10)],
    [
      "writes among the details",
      { ...prompt, prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 100 } },
      four(900, 0, 100, 10),
    ],
    [
      "the same cache under two names",
      { ...prompt, prompt_tokens_details: { cached_tokens: 400 }, cache_read_input_tokens: 400 },
      four(600, 400, 0, 10),
    ],
    [
      "a cache that is larger than the prompt",
      { ...prompt, cache_read_input_tokens: 5000, cache_creation_input_tokens: 1e18 },
      four(0, 1000, 0, 10),
    ],
  ])("counted: %s", (_, usage, counted) => {
    expect(factsOf("openai-chat", usage)).toEqual(counted);
  });

  test("is charged so, to the last digit", async () => {
    const usage = { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135 };
    scenario.upstream.on(
      streamOf(
        frame({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] }),
        frame({ choices: [], usage: { ...usage, completion_tokens_details: { reasoning_tokens: 94 } } }),
        frame("[DONE]"),
      ),
    );
    await scenario.chat({
      body: { model: "test/model-1", stream: true, messages: [{ role: "user", content: "x" }] },
    });
    expect(scenario.memory.events).toMatchObject([{ usage: { output_tokens: 103 }, cost_points: "0.00111" }]);
  });
});

test("Responses: what the total has beyond both sides is output", () => {
  const usage = { input_tokens: 30, output_tokens: 9 };
  expect(factsOf("openai-responses", { ...usage, total_tokens: 133 })).toEqual(four(30, 0, 0, 103));
  expect(factsOf("openai-responses", { ...usage, total_tokens: 39 })).toEqual(four(30, 0, 0, 9));
});

describe("Anthropic's iterations", () => {
  const message = { type: "message", input_tokens: 23_000, output_tokens: 1_000 };
  const compaction = {
    type: "compaction",
    input_tokens: 180_000,
    cache_read_input_tokens: 7,
    cache_creation_input_tokens: 5,
    output_tokens: 3_500,
  };
  const advice = { type: "advisor_message", model: "m", input_tokens: 800, output_tokens: 500 };
  const top = { input_tokens: 23_000, output_tokens: 1_000 };

  test.each([
    ["none", null, four(23_000, 0, 0, 1_000)],
    ["messages are in the counts", [message], four(23_000, 0, 0, 1_000)],
    ["a compaction is beside them", [compaction, message], four(203_000, 7, 5, 4_500)],
    ["several are", [compaction, message, compaction], four(383_000, 14, 10, 8_000)],
    ["another model's advice is", [message, advice], four(23_800, 0, 0, 1_500)],
    ["nonsense is nothing", ["x", { type: "compaction", input_tokens: "x" }, 7], four(23_000, 0, 0, 1_000)],
  ])("%s", (_, iterations, counted) => {
    expect(factsOf("anthropic", { ...top, iterations })).toEqual(counted);
  });

  test("never overflow", () => {
    const huge = { ...compaction, input_tokens: 1e18, output_tokens: 1e18 };
    const usage = factsOf("anthropic", { ...top, iterations: [huge, huge, huge] });
    expect(usage).toMatchObject({ input_tokens: limits.tokensMax, output_tokens: limits.tokensMax });
  });

  test("a list that is repeated in a stream counts once, beside counts that run on", async () => {
    scenario.upstream.on(
      streamOf(
        namedFrame({
          type: "message_start",
          message: {
            content: [],
            usage: { input_tokens: 23_000, output_tokens: 1, iterations: [compaction] },
          },
        } as never),
        namedFrame({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: "Hi" },
        } as never),
        namedFrame({
          type: "message_delta",
          delta: { stop_reason: "end_turn" },
          usage: { output_tokens: 1_000, iterations: [compaction, message] },
        } as never),
        namedFrame({ type: "message_delta", delta: {}, usage: { output_tokens: 1_000 } } as never),
        namedFrame({ type: "message_stop" }),
      ),
    );
    await scenario.message({
      body: {
        model: "test/model-1",
        max_tokens: 9,
        stream: true,
        messages: [{ role: "user", content: "x" }],
      },
    });
    expect(scenario.memory.events).toMatchObject([
      { usage: four(203_000, 7, 5, 4_500), evidence: "reported" },
    ]);
  });
});
