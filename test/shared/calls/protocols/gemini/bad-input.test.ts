/** Gemini fed with nonsense: its clients get a 400 at most, its providers an error event at most. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import { renderFrame } from "#shared/base/sse/frames.ts";
import { geminiCrossing as crossing } from "#shared/calls/protocols/gemini/crossing/index.ts";
import { readRequest } from "#shared/calls/protocols/gemini/fields.ts";
import { casesIn, readJson } from "#test/support/gemini.ts";

const target = { model: "gemini-3.5-flash", output_tokens: 8_192 };
const replyTarget = { model: "google/gemini-3.5-flash", request: {}, hide_usage: false };

/** A copy of a JSON value with one member, the `at`th in depth-first order, replaced. */
function replaced(value: unknown, at: number, by: unknown): unknown {
  let seen = 0;
  return JSON.parse(JSON.stringify(value), (_, member) => (seen++ === at ? by : member));
}

describe("bad input", () => {
  const nonsense = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("", -1, 1e300, [{}], { parts: [{}] }),
  );

  test("any golden with one value replaced is read, or refused as an invalid request", () => {
    const bodies = casesIn("requests", ".neutral.json").map((name) => readJson(`requests/${name}.json`));
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.nat(60), nonsense, (golden, at, by) => {
        const body = Buffer.from(JSON.stringify(replaced(golden, at, by)));
        try {
          const json = readJsonObject(body);
          readRequest(json);
          const { request } = crossing.decodeRequest(json.value);
          crossing.encodeRequest(request, target);
          outcomes.add("read");
        } catch (error) {
          expect(error).toMatchObject({ key: "invalid_request" });
          outcomes.add("refused");
        }
      }),
      { seed: 31, numRuns: 3_000 },
    );
    expect(outcomes.size).toBe(2);
  });

  test("any chunk with one value replaced gives events and no exception", () => {
    const chunks = casesIn("replies", ".neutral.json").map((name) => readJson(`replies/${name}.json`));
    fc.assert(
      fc.property(fc.constantFrom(...chunks), fc.nat(40), nonsense, (golden, at, by) => {
        const frame = renderFrame(JSON.stringify(replaced(golden, at, by)));
        const decoder = crossing.createDecoder();
        const events = [...decoder.push(frame), ...decoder.end()];
        if (events.length > 0) expect(events.at(-1)?.type).toMatch(/^(reply-end|error)$/);
        const encoder = crossing.createEncoder(replyTarget);
        for (const event of events) encoder.push(event);
      }),
      { seed: 32, numRuns: 3_000 },
    );
  });
});
