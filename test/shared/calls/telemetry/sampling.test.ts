/** Ids of traces and spans, and which traces are recorded. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isId, newId, timeOf } from "#shared/base/platform/id.ts";
import { requestOf, spanIdOf, traceIdOf } from "#shared/calls/telemetry/ids.ts";
import { isSampled } from "#shared/calls/telemetry/sampling.ts";

const traceIds = fc
  .array(fc.constantFrom(..."0123456789abcdef"), { minLength: 32, maxLength: 32 })
  .map((digits) => digits.join(""));
const ratios = fc.double({ min: 0, max: 1, noNaN: true });

describe("the trace of a request", () => {
  it("has an id that tells the request, and the time at which it came", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 47 }), (at) => {
        const request = newId("request", at);
        const traceId = traceIdOf(request);
        expect(traceId).toMatch(/^[\da-f]{32}$/);
        expect([requestOf(traceId), timeOf(requestOf(traceId))]).toEqual([request, at]);
      }),
    );
  });

  it("of another maker is the id of no request, but of the right form", () => {
    fc.assert(
      fc.property(traceIds, (traceId) => {
        const request = requestOf(traceId);
        expect([isId(request, "request"), traceIdOf(request)]).toEqual([true, traceId]);
      }),
    );
  });

  it("has spans whose ids differ by call and by name", () => {
    const traceId = traceIdOf("req_01M81Z6B499M4DYJWQBG2R067H");
    const ids = ["req_1", "req_2"].flatMap((request) =>
      ["request", "attempt 1", "attempt 2"].map((name) => spanIdOf(traceId, request, name)),
    );
    expect(new Set(ids).size).toBe(6);
    expect(ids.every((id) => /^[\da-f]{16}$/.test(id))).toBe(true);
  });
});

describe("a trace is recorded", () => {
  const own = { ratio: 0.3, followsCaller: true };

  it("always at ratio 1, and never at ratio 0", () => {
    fc.assert(
      fc.property(traceIds, (traceId) => {
        expect(isSampled(traceId, undefined, { ...own, ratio: 1 })).toBe(true);
        expect(isSampled(traceId, undefined, { ...own, ratio: 0 })).toBe(false);
      }),
    );
  });

  it("at a larger ratio wherever it is at a smaller one", () => {
    fc.assert(
      fc.property(traceIds, ratios, ratios, (traceId, one, other) => {
        const [small, large] = [Math.min(one, other), Math.max(one, other)];
        const at = (ratio: number) => isSampled(traceId, undefined, { ...own, ratio });
        expect(at(large) || !at(small)).toBe(true);
      }),
    );
  });

  it("as the client says, if clients decide, and else by the ratio alone", () => {
    fc.assert(
      fc.property(traceIds, ratios, fc.boolean(), (traceId, ratio, sampled) => {
        expect(isSampled(traceId, { sampled }, { ratio, followsCaller: true })).toBe(sampled);
        expect(isSampled(traceId, { sampled }, { ratio, followsCaller: false })).toBe(
          isSampled(traceId, undefined, { ratio, followsCaller: false }),
        );
      }),
    );
  });

  it("in about the share that the ratio says, of the ids that requests have", () => {
    const count = 4_000;
    const sampled = Array.from({ length: count }, (_, at) =>
      traceIdOf(newId("request", 1_700_000_000_000 + at)),
    );
    const share = sampled.filter((traceId) => isSampled(traceId, undefined, own)).length / count;
    // Six standard deviations of a share of 0.3 in 4,000.
    expect(Math.abs(share - own.ratio)).toBeLessThan(0.044);
  });
});
