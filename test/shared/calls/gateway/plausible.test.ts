/** What is cut of a report that cannot be true, beside its counts: parts of them, and calls of a provider's tools. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { believe } from "#shared/calls/gateway/plausible.ts";

describe("what a provider tells beside the counts", () => {
  const counts = { ...noUsage, input_tokens: 1e9, output_tokens: 9 };
  const asked = {
    model: { context_tokens: 200_000, output_tokens: 8_192 },
    call: { choices: 1 },
    size: {},
    bounds: {
      input_tokens: 100,
      output_tokens: 9,
      switches: [{ field: "tools", kind: "tool", name: "web_search", calls: 5 }],
    },
  } as unknown as Parameters<typeof believe>[1];

  test("is cut with them, and with the calls of tools that were held for", () => {
    const usage = {
      ...counts,
      details: { tokens: { audio_input: 5_000 }, calls: { web_search: 7, other: 1 }, speed: "fast" },
    };
    expect(believe(usage, asked)).toEqual({
      usage: {
        ...counts,
        input_tokens: 100,
        details: { tokens: { audio_input: 100 }, calls: { web_search: 5 }, speed: "fast" },
      },
      reported: usage,
    });
  });

  test("with more calls of a tool that nobody asked for than are held for unasked is implausible", () => {
    const usage = (calls: number) => ({ ...noUsage, input_tokens: 10, details: { calls: { other: calls } } });
    expect(believe(usage(4 * limits.serverToolCalls), asked)).not.toHaveProperty("reported");
    const beyond = usage(4 * limits.serverToolCalls + 1);
    expect(believe(beyond, asked)).toEqual({
      usage: { ...noUsage, input_tokens: 10 },
      reported: beyond,
    });
  });

  test.each([
    [20, false],
    [21, true],
  ])("with %i calls of a tool that was held for five calls is implausible: %s", (web_search, implausible) => {
    const usage = { ...noUsage, input_tokens: 10, details: { calls: { web_search } } };
    expect("reported" in believe(usage, asked)).toBe(implausible);
  });
});
