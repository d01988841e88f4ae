/** The fee for each request: once in the hold, once in the charge, and in what the sweep and the audit compute. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { holdPoints } from "#shared/books/billing/pricing/hold-points.ts";
import { pinPrice, withRatesOf } from "#shared/books/billing/pricing/pin-price.ts";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import { type Switch, withUnasked } from "#shared/books/billing/pricing/rates.ts";
import { noUsage, type Usage } from "#shared/books/billing/usage.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { miscalculations } from "#shared/edges/audit/entries.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { sample, set } from "#test/support/catalog.ts";
import { flat, tokens } from "#test/support/prices.ts";
import { eventOf, intentOf, noon, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { storesOn } from "#test/support/wallets.ts";

const fee = { ...flat, rates: { unasked: { web_search: "0.01" } } } satisfies Price;
const price = pinPrice(fee, "0.5");
const searched = (calls: number): Usage => ({ ...tokens(1000), details: { calls: { web_search: calls } } });

describe("the charge", () => {
  test.each([
    ["that reports no search", tokens(1000)],
    ["that reports one", searched(1)],
    ["that reports seven", searched(7)],
  ])("of an answer %s has the fee once", (_, told) => {
    const { points, lines, unpriced } = charge(withUnasked(told, fee), price);
    expect(points).toBe(parsePoints("0.00625"));
    expect(lines.at(-1)).toMatchObject({ dimension: "web_search_calls", quantity: 1, unit_price: "0.01" });
    expect(unpriced).toEqual([]);
  });

  test("of nothing is nothing, and a price without such a fee changes no usage", () => {
    expect(charge(noUsage, price).points).toBe(0n);
    expect(withUnasked(noUsage, flat)).toBe(noUsage);
  });

  test("is the same by what an event carries, and the audit finds every other one", () => {
    const usage = withUnasked(tokens(1000), fee);
    const carried = withRatesOf(price, usage.details);
    const event = eventOf(walletHold("w", "9"), "0.00625", { price: carried, usage });
    const known = { ...price, model: event.model, since: 1 };
    expect(miscalculations(event, known)).toEqual([]);
    for (const cost_points of ["0.00125", "0.01125"])
      expect(miscalculations({ ...event, cost_points }, known)[0]).toContain(cost_points);
    expect(miscalculations({ ...event, usage: tokens(1000) }, known)[0]).toContain("list_points");
  });
});

test("the hold has the fee once, also where the client asks for the tool", () => {
  const bounds = { input_tokens: 1000, output_tokens: 0 };
  const tool = (calls: number): Switch => ({ field: "tools", kind: "tool", name: "web_search", calls });
  const held = (switches: Switch[]) => holdPoints({ ...bounds, switches }, price) - holdPoints(bounds, price);
  expect([held([tool(1)]), held([tool(10)])]).toEqual([parsePoints("0.005"), parsePoints("0.005")]);
});

test("a catalog refuses two rates for the same calls", () => {
  const rates = { unasked: { web_search: "0.01" }, tools: { web_search: "0.02" } };
  expect(() => parseCatalog(set(sample(), "models.0.price", { ...flat, rates }))).toThrow(
    "price.rates.unasked: web_search has another rate",
  );
});

describe("a call that died", () => {
  const { db, ledger } = useStores();

  test("is charged its input and the fee, by the rates that its intent carries", async () => {
    const stores = storesOn(db.aws, db);
    const organization = newId("organization", noon);
    const meter = await openWallet(db, "10", organization);
    const hold = walletHold(meter, "2");
    await stores.meters.intend({ ...intentOf(hold, organization), price: withRatesOf(price) }, 1);
    await stores.meters.admit(hold);
    await sweep({ older_than_seconds: 0 }, stores);
    const entry = await ledger.entry(organization, hold.request);
    expect(entry?.event).toMatchObject({
      cost_points: "0.005125",
      usage: { input_tokens: 100, details: { calls: { web_search: 1 } } },
    });
    expect(miscalculations(entry?.event as never, { ...price, model: "acme/Sonic-1-5", since: 1 })).toEqual(
      [],
    );
  });
});
