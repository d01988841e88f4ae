/** Several reports in one stream: totals run on, so that a later one counts where it is no smaller. */
import { describe, expect, test } from "vitest";
import { noUsage, type Usage } from "#shared/books/billing/usage.ts";
import { laterUsage, sumUsage } from "#shared/calls/protocols/counters.ts";
import { framesIn, useCrossed } from "#test/support/crossed.ts";
import { frame, sse } from "#test/support/scenario.ts";
import { streamingOf } from "#test/support/streaming.ts";

const chat = { stream: true, max_output_tokens: null, choices: 1, user: null, hide_usage: false };
type Counts = [input: number, output: number, cached?: number];

const usageOf = ([input_tokens, output_tokens, cache_read_tokens = 0]: Counts) => ({
  ...noUsage,
  input_tokens: input_tokens - cache_read_tokens,
  cache_read_tokens,
  output_tokens,
});

/** A stream's frames that say a word and then report these counts, the cached input among the input. */
const streams: Record<string, (reports: Counts[]) => object[]> = {
  "openai-chat": (reports) => [
    { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }] },
    ...reports.map(([prompt_tokens, completion_tokens, cached_tokens]) => ({
      choices: [],
      usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
    })),
  ],
  anthropic: (reports) => [
    { type: "message_start", message: { content: [], usage: { input_tokens: 1, output_tokens: 9_999 } } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
    ...reports.map(([input, output_tokens, cached = 0]) => ({
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens },
    })),
  ],
  gemini: (reports) =>
    reports.map(([promptTokenCount, candidatesTokenCount, cachedContentTokenCount]) => ({
      candidates: [{ index: 0, content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount, candidatesTokenCount, cachedContentTokenCount },
    })),
  "openai-responses": (reports) => [
    { type: "response.output_text.delta", delta: "Hi" },
    ...reports.map(([input_tokens, output_tokens, cached_tokens]) => ({
      type: "response.completed",
      response: { usage: { input_tokens, output_tokens, input_tokens_details: { cached_tokens } } },
    })),
  ],
};

const cases: [what: string, reports: Counts[], billed: Counts][] = [
  [
    "nothing at the end",
    [
      [1000, 5000],
      [0, 1],
    ],
    [1000, 5000],
  ],
  [
    "totals that run on",
    [
      [1000, 1],
      [1000, 2],
      [1000, 3],
    ],
    [1000, 3],
  ],
  [
    "the same input split anew",
    [
      [1000, 5],
      [1000, 5, 800],
    ],
    [1000, 5, 800],
  ],
  [
    "one side at the end",
    [
      [1000, 5],
      [0, 900],
    ],
    [1000, 900],
  ],
  [
    "more input, and no output",
    [
      [1000, 5000],
      [7000, 0],
    ],
    [7000, 5000],
  ],
];

describe.each(Object.entries(streams))("%s", (name, write) => {
  test.each(cases)("reported: %s", (_, reports, billed) => {
    const reader = streamingOf(name as "anthropic").createReader(chat);
    for (const data of write(reports)) reader.read(Buffer.from(frame(data)));
    expect(reader.usage()).toEqual(usageOf(billed));
  });
});

test("what is not reported again stays", () => {
  const usage = usageOf([7, 3]);
  expect(laterUsage(usage, undefined)).toBe(usage);
  expect(laterUsage(undefined, usage)).toBe(usage);
  expect(laterUsage(undefined, undefined)).toBeUndefined();
});

test("what has a price of its own stays with its side, and calls of tools are as many as were told", () => {
  const before: Usage = {
    ...usageOf([1000, 5000]),
    details: {
      tokens: { audio_input: 600, audio_output: 70 },
      calls: { web_search: 2 },
      service_tier: "flex",
    },
  };
  const now: Usage = {
    ...usageOf([1200, 1]),
    details: { tokens: { audio_input: 700 }, calls: { web_search: 1, code: 1 } },
  };
  expect(laterUsage(before, now)).toEqual({
    ...usageOf([1200, 5000]),
    details: {
      tokens: { audio_input: 700, audio_output: 70 },
      calls: { web_search: 2, code: 1 },
      service_tier: "flex",
    },
  });
  expect(sumUsage(before, now).details).toEqual({
    tokens: { audio_input: 1300, audio_output: 70 },
    calls: { web_search: 3, code: 1 },
    service_tier: "flex",
  });
});

describe("what a client of another protocol is told is what is billed", () => {
  const crossed = useCrossed();

  test.each([["openai"], ["anthropic"], ["gemini"]])("%s", async (provider) => {
    const name = provider === "openai" ? "openai-chat" : provider;
    const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const data =
      streams[name]?.([
        [1000, 5000],
        [0, 1],
      ]) ?? [];
    const ends = { openai: ["[DONE]"], anthropic: [{ type: "message_stop" }], gemini: [] }[provider] ?? [];
    const all = [...data.slice(0, 1), ...(provider === "openai" ? [stop] : []), ...data.slice(1), ...ends];
    crossed.upstream.on((_, response) =>
      response.writeHead(200, sse).end(all.map((each) => frame(each)).join("")),
    );
    const client = provider === "openai" ? "anthropic" : "openai";
    const { text } = await crossed.ask(client, provider as "openai", {}, true);
    const told = framesIn(text).findLast(({ usage }) => usage)?.usage;
    expect(crossed.memory.events[0]?.usage).toMatchObject({ input_tokens: 1000, output_tokens: 5000 });
    expect(told).toMatchObject(
      client === "openai"
        ? { prompt_tokens: 1000, completion_tokens: 5000 }
        : { input_tokens: 1000, output_tokens: 5000 },
    );
  });
});
