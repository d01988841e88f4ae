/** Which attempts of a call a provider may have billed, and what they came to. */
import { describe, expect, test } from "vitest";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { bookHouseRates } from "#shared/books/ledger/house-rates.ts";
import type { CallRoute, ToldAttempt, UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { ourAttemptsOf } from "#shared/books/reports/bills/ours.ts";
import { endedCall } from "#test/support/forecasts.ts";
import { testCatalog } from "#test/support/memory.ts";
import { byInput } from "#test/support/prices.ts";

type File = { providers: Record<string, object>; models: { id: string; channels: object[] }[] };
const file = testCatalog("https://acme.test") as File;
const [first] = file.models;
const cost = { input: "2", output: "10", cache_read: "0.5" };

/** A catalog whose first model has these channels. */
const catalogWith = (...channels: object[]) =>
  createCatalog(
    parseCatalog({
      ...file,
      providers: {
        ...file.providers,
        two: { ...file.providers.test, secret: "KEY_1", secrets: ["KEY_1", "KEY_2"] },
      },
      models: [{ ...first, channels }],
    }),
  );
const catalog = catalogWith({ provider: "test", model: "upstream-1", cost });
const usage = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 40, cache_write_tokens: 8 };
const counts = { ...usage, generated_images: 0, video_seconds: 0 };
const model = catalog.find(first?.id ?? "");
if (!model) throw new Error("no model");

const eventOf = (end: Partial<UsageEvent> = {}, used: UsageEvent["usage"] = counts): UsageEvent => ({
  ...endedCall(catalog.price(model, 0), used, { model: model.id }, { provider: "test" }),
  ...end,
});
const route = (...attempts: Partial<ToldAttempt>[]): { route: CallRoute } => ({
  route: {
    ...{ routing: "smart", why: "first", of: 2 },
    attempts: attempts.map((each) => ({ provider: "test", outcome: "answered", ms: 9, ...each })),
  },
});
const ours = (event: UsageEvent, of = catalog) => ourAttemptsOf(event, of);

describe("an answer", () => {
  test("is billed as the provider reported it, at the channel's cost", () => {
    const event = eventOf();
    expect(ours(event)).toEqual([
      {
        ...{
          call: event.id,
          at: event.admitted_at,
          ended_at: event.ended_at,
          provider: "test",
          model: "upstream-1",
        },
        ...{ credential: "TEST_API_KEY", tokens: usage, prompt: null, tier: "" },
        rates: {
          ...{ input_tokens: 2_000_000n, output_tokens: 10_000_000n },
          ...{ cache_read_tokens: 500_000n, cache_write_tokens: 2_000_000n },
        },
        cost: 100n * 2_000_000n + 20n * 10_000_000n + 40n * 500_000n + 8n * 2_000_000n,
      },
    ]);
  });

  test("that could not be true is billed all the same", () => {
    const reported = { ...counts, input_tokens: 9_999_999 };
    const cost = 9_999_999n * 2_000_000n + 436_000_000n - 100n * 2_000_000n;
    expect(ours(eventOf({ reported }))).toMatchObject([{ tokens: { input_tokens: 9_999_999 }, cost }]);
  });

  test("costs what was booked with it, whatever the catalog says now", () => {
    const [channel] = catalog.find(model.id)?.channels ?? [];
    const house = bookHouseRates({ id: channel?.id ?? "", cost: { input: "3", output: "1" } }, "USD");
    expect(ours(eventOf({ house }))).toMatchObject([
      { credential: "TEST_API_KEY", cost: (100n + 40n + 8n) * 3_000_000n + 20n * 1_000_000n },
    ]);
    const large = eventOf({ price: pinPrice(byInput, "1"), house }, { ...counts, input_tokens: 40_000 });
    expect(ours(large)).toMatchObject([{ cost: null, tier: "" }]);
  });

  test("of another tier is expected at the standard price", () => {
    const [attempt] = ours(eventOf({}, { ...counts, details: { service_tier: "flex" } }));
    expect(attempt).toMatchObject({ tier: "flex", cost: 436_000_000n });
    const [tools] = ours(eventOf({}, { ...counts, details: { service_tier: "flex", calls: { search: 1 } } }));
    expect(tools).toMatchObject({ tier: "flex", cost: null });
  });

  test("of a provider with several keys names the one that its channel had, if that is told", () => {
    const several = catalogWith({ provider: "two", model: "upstream-1", cost });
    const event = eventOf({ provider: "two" });
    expect(ours(event, several)).toMatchObject([
      { credential: null, model: "upstream-1", cost: 436_000_000n },
    ]);
    const second = several.find(model.id)?.channels[1];
    const told = eventOf({ provider: "two", ...route({ provider: "two", channel: second?.id ?? "" }) });
    expect(ours(told, several)).toMatchObject([{ credential: "KEY_2" }]);
  });

  test("of channels with several costs has none that is known", () => {
    const two = catalogWith(
      { provider: "test", model: "upstream-1", cost },
      { provider: "test", model: "upstream-2", cost: { ...cost, output: "11" } },
    );
    expect(ours(eventOf(), two)).toMatchObject([{ model: model.id, rates: null, cost: null }]);
  });
});

describe("an attempt that broke off", () => {
  test("may be billed: one that lost, and one that was silent, with the prompt of the answer", () => {
    const event = eventOf(route({ outcome: "lost" }, { outcome: "fault" }, {}));
    const prompt = 148;
    expect(ours(event).map(({ tokens, prompt: size }) => [tokens, size])).toEqual([
      [null, prompt],
      [null, prompt],
      [usage, null],
    ]);
  });

  test("is not billed where the provider answered with an error, or refused", () => {
    const event = eventOf(
      route(
        { outcome: "fault", status: 500 },
        { outcome: "limited" },
        { outcome: "refused" },
        { outcome: "blamed" },
        {},
      ),
    );
    expect(ours(event).map(({ tokens }) => tokens)).toEqual([usage]);
  });

  test("has no prompt that is known where nothing answered, or another model did", () => {
    const failed = eventOf({ evidence: "none", outcome: "failed", ...route({ outcome: "fault" }) });
    expect(ours(failed)).toMatchObject([{ tokens: null, prompt: null }]);
    const other = eventOf(route({ outcome: "lost", model: "acme/other" }, {}));
    expect(ours(other)).toMatchObject([
      { tokens: null, prompt: null, model: "acme/other" },
      { tokens: usage },
    ]);
  });

  test("is the answer itself where it told no usage, and the call that died", () => {
    expect(ours(eventOf({ evidence: "estimated" }))).toMatchObject([{ tokens: null, cost: null }]);
    const died = eventOf({ evidence: "none", source: "sweeper", provider: null, attempts: 1 });
    expect(ours(died)).toMatchObject([{ provider: "test", tokens: null }]);
  });
});

describe("where an entry keeps bookings", () => {
  const house = "k3x9qa 2/10 - 77";
  const paid = { own_fee: { rate: "0.05" } as never };

  test("an attempt that broke off has the input that was booked, and one that reached nobody is none", () => {
    const failed = eventOf({
      ...{ evidence: "none", calls: 0 },
      ...route({ outcome: "fault" }, { outcome: "fault", house }),
    });
    expect(ours(failed)).toMatchObject([{ tokens: null, prompt: 77 }]);
  });

  test("an attempt of the house before one with an own key counts, and the own key's does not", () => {
    const event = eventOf({ ...paid, ...route({ outcome: "fault", house }, { own_key: true }) });
    expect(ours(event)).toMatchObject([{ tokens: null, prompt: 77 }]);
    expect(ours(eventOf({ ...paid, evidence: "estimated" }))).toEqual([]);
  });
});

test("what the house did not pay for is no attempt of its own", () => {
  expect(ours(eventOf({ evidence: "cache", attempts: 0 }))).toEqual([]);
  expect(ours(eventOf({ evidence: "none", attempts: 0, calls: 0 }))).toEqual([]);
  expect(ours(eventOf({ own_fee: { rate: "0.05" } as never }))).toEqual([]);
  const event = eventOf(route({ outcome: "lost", own_key: true }, {}));
  expect(ours(event).map(({ tokens }) => tokens)).toEqual([usage]);
});
