/** Rates of what a request can switch on: charges and holds by hand. */
import { describe, expect, test } from "vitest";
import { formatPoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { explain } from "#shared/books/billing/pricing/explain.ts";
import { holdPoints } from "#shared/books/billing/pricing/hold-points.ts";
import { unitOf } from "#shared/books/billing/pricing/line.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import type { Switch } from "#shared/books/billing/pricing/rates.ts";
import { countsOf, type UsageDetails, withDetails } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { sumsOf } from "#shared/books/reports/report.ts";
import { byInput, flat, perImage, switched, tokens } from "#test/support/prices.ts";

const usage = tokens(1000, 500, 2000, 300);
/** 1000 × 2.5 + 500 × 10 + 2000 × 0.25 + 300 × 3.125, by the million. */
const plain = "0.0089375";

const vectors: [name: string, details: UsageDetails, points: string][] = [
  ["nothing beside the counts", {}, plain],
  ["priority doubles every token", { service_tier: "priority" }, "0.017875"],
  ["flex has prices of its own: cached tokens cost the same", { service_tier: "flex" }, "0.0051875"],
  ["fast", { speed: "fast" }, "0.053625"],
  ["a place", { inference_geo: "us" }, "0.00983125"],
  ["all at once: 2 × 6 × 1.1", { service_tier: "priority", speed: "fast", inference_geo: "us" }, "0.117975"],
  ["default is the price itself", { service_tier: "default", speed: "standard" }, plain],
  // 200 of the 300 written cost 5 in place of 3.125.
  ["an hour's cache", { tokens: { cache_write_1h: 200 } }, "0.0093125"],
  // 100 of 1000 cost 40 in place of 2.5, 50 of 2000 cost 2.5 in place of 0.25.
  ["audio in", { tokens: { audio_input: 100, audio_cache_read: 50 } }, "0.0128"],
  // 100 of 500 cost 80 in place of 10, and 20 cost 30.
  ["audio and pictures out", { tokens: { audio_output: 100, image_output: 20 } }, "0.0163375"],
  ["tools by the call", { calls: { web_search: 3, code_interpreter: 1 } }, "0.0689375"],
  [
    "a tier multiplies kinds of tokens, and no tool",
    { service_tier: "priority", tokens: { cache_write_1h: 200 }, calls: { web_search: 1 } },
    "0.028625",
  ],
  [
    "flex without an audio price of its own",
    { service_tier: "flex", tokens: { audio_input: 100 } },
    "0.0090625",
  ],
];

describe("a charge", () => {
  test.each(vectors)("%s", (_name, details, points) => {
    const bill = charge(withDetails(usage, details), pinPrice(switched, "1"));
    expect(formatPoints(bill.points)).toBe(points);
    expect(bill.unpriced).toEqual([]);
  });

  test("has a line for each kind of tokens and each tool, and one for the rest of the count", () => {
    const details = { tokens: { audio_input: 100 }, calls: { web_search: 2 }, service_tier: "priority" };
    const { lines, ways } = charge(withDetails(tokens(1000), details), pinPrice(switched, "0.5"));
    expect(lines).toEqual([
      { dimension: "input_tokens", quantity: 900, unit_price: "5", points: 2_250_000_000_000_000n },
      { dimension: "audio_input_tokens", quantity: 100, unit_price: "80", points: 4_000_000_000_000_000n },
      { dimension: "web_search_calls", quantity: 2, unit_price: "0.01", points: 10_000_000_000_000_000n },
    ]);
    expect(lines.map(unitOf)).toEqual([1_000_000, 1_000_000, 1]);
    expect(ways).toEqual([{ way: "service_tier", value: "priority", multiplier: "2" }]);
  });

  test("says in a sentence how the call was served", () => {
    const details = { service_tier: "flex", inference_geo: "us" };
    expect(
      explain(withDetails(usage, details), pinPrice(switched, "1")).ways.map(({ reason }) => reason),
    ).toEqual([
      "The provider served the call with service_tier flex, which has prices of its own.",
      "The provider served the call with inference_geo us, which multiplies its prices by 1.1.",
    ]);
  });

  test("names what has no rate, and charges it as if it had not been reported", () => {
    const details = {
      tokens: { audio_output: 100 },
      calls: { web_search: 2 },
      service_tier: "scale",
      speed: "constructor",
    };
    const bill = charge(withDetails(usage, details), pinPrice(flat, "1"));
    expect(formatPoints(bill.points)).toBe(plain);
    expect(bill.unpriced).toEqual(["service_tier scale", "speed constructor", "audio_output", "web_search"]);
  });

  test("by the call's size: a tier's own rates hold, and a tier of service has tiers of its own", () => {
    const price = {
      ...byInput,
      tiers: byInput.tiers.map((tier, index) =>
        index === 2 ? { ...tier, rates: { cache_write_1h: "9" } } : tier,
      ),
      rates: { cache_write_1h: "3", service_tier: { flex: { ...byInput, tiers: byInput.tiers.slice(1) } } },
    } satisfies Price;
    const bill = (written: number, details: UsageDetails) =>
      explain(withDetails(tokens(0, 0, 0, written), details), pinPrice(price, "1"));
    const hour = (written: number) => ({ tokens: { cache_write_1h: written } });
    expect(bill(1000, hour(1000)).lines[0]?.unit_price).toBe("3");
    expect(bill(200_000, hour(200_000)).lines[0]?.unit_price).toBe("9");
    expect(bill(1000, { service_tier: "flex" }).lines[0]?.unit_price).toBe("1.2");
    expect(bill(1000, { service_tier: "flex" }).tiers[0]?.up_to).toBe(128_000);
  });

  test("pictures and seconds are multiplied too, and have tools", () => {
    const price = { ...perImage, rates: { service_tier: { flex: "0.5" }, tools: { web_search: "0.01" } } };
    const details = { service_tier: "flex", calls: { web_search: 1 } };
    const bill = charge(withDetails({ ...tokens(0), generated_images: 3 }, details), pinPrice(price, "1"));
    expect(formatPoints(bill.points)).toBe("0.31");
  });
});

describe("a usage", () => {
  test("has no kind of tokens larger than its count, and bills none twice", () => {
    const told = {
      tokens: { audio_output: 400, image_output: 400, cache_write_1h: 9 },
      calls: { web_search: 0 },
    };
    expect(withDetails(tokens(10, 500), told)).toEqual({
      ...tokens(10, 500),
      details: { tokens: { audio_output: 400, image_output: 100 } },
    });
    expect(withDetails(tokens(10), told)).toEqual(tokens(10));
  });

  test("is summed by its counts alone", () => {
    const event = {
      usage: withDetails(usage, { service_tier: "flex" }),
      calls: 1,
      cost_points: "1",
      list_points: "1",
    };
    expect(sumsOf(event as UsageEvent)).toEqual({
      ...usage,
      calls: 1,
      cost_points: 10n ** 18n,
      list_points: 10n ** 18n,
    });
    expect(countsOf(event.usage)).toEqual(usage);
  });
});

describe("a hold", () => {
  const held = (switches: Switch[], price: Price = switched) =>
    formatPoints(holdPoints({ input_tokens: 1000, output_tokens: 100, switches }, pinPrice(price, "1")));
  const on = (kind: Switch["kind"], name: string, more: Partial<Switch> = {}): Switch => ({
    field: kind,
    kind,
    name,
    ...more,
  });
  // 1000 × 3.125 + 100 × 10, by the million.
  test.each<[string, Switch[], string]>([
    ["nothing switched on", [], "0.004125"],
    ["a dearer tier", [on("service_tier", "priority")], "0.00825"],
    ["a cheaper tier, which may be served as standard", [on("service_tier", "flex")], "0.004125"],
    ["a tier that the provider chooses", [on("service_tier", "auto", { implied: true })], "0.00825"],
    [
      "tier, speed and place",
      [on("service_tier", "priority"), on("speed", "fast"), on("inference_geo", "us")],
      "0.05445",
    ],
    ["an hour's cache", [on("tokenKind", "cache_write_1h")], "0.006"],
    ["audio in and out", [on("tokenKind", "audio_input"), on("tokenKind", "audio_output")], "0.048"],
    ["five searches", [on("tool", "web_search", { calls: 5 })], "0.054125"],
  ])("of %s", (_name, switches, points) => {
    expect(held(switches)).toBe(points);
  });
});
