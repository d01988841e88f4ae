/** A forecast over real stores: what it reads of a range, and that the catalog of the calls gives the ledger's figures. */
import { describe, expect, test } from "vitest";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { hourOf, nextHour } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { modeOf } from "#shared/books/billing/pricing/modes/index.ts";
import { withUnasked } from "#shared/books/billing/pricing/rates.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { Model } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { forecastLedger } from "#shared/edges/operator/forecast.ts";
import type { ExportedLedger } from "#shared/edges/operator/ledger-export.ts";
import { marginOf } from "#shared/edges/operator/margin.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { endedCall } from "#test/support/forecasts.ts";
import { catalog, signedUp } from "#test/support/orders.ts";
import { customer, signUp } from "#test/support/plan-customer.ts";
import { seeded } from "#test/support/random.ts";
import { buyer } from "#test/support/refunded-customer.ts";
import { noon, period } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts, ledger } = useStores();
const hourMs = 3_600_000;

/** A call of a model at an instant, with whatever the model's price counts. */
function callOf(
  model: Model,
  { id: organization, wallet, subscription }: Organization,
  at: number,
  random: (n: number) => number,
): UsageEvent {
  const price = catalog.price(model, at);
  const [resolution] = modeOf(price.price).resolutions(price.price) ?? [];
  const usage = {
    ...{ input_tokens: random(50_000), output_tokens: random(9_000), cache_read_tokens: random(900) },
    ...{ cache_write_tokens: random(90), generated_images: random(4), video_seconds: random(9) },
  };
  const id = newId("request", at);
  const isPaid = random(2) === 0;
  const mode = isPaid ? "payg" : "subscription";
  return endedCall(
    price,
    withUnasked(usage, price.price),
    { id, organization, model: model.id, mode, meter: (isPaid ? wallet : subscription)?.meter ?? "" },
    { at: at + 1_000, ...(resolution !== undefined && { resolution }) },
  );
}

/** A call of each model of the catalog that ships, over three hours. A third were guessed at by the sweeper first. */
async function recorded(organization: Organization, seed: number): Promise<UsageEvent[]> {
  const random = seeded(seed);
  const events = catalog
    .models()
    .map((model) => callOf(model, organization, noon + random(3 * hourMs), random));
  const estimates = events
    .filter(() => random(3) === 0)
    .map(({ id, organization: of, price, model, mode, meter, resolution }) =>
      endedCall(
        price,
        withUnasked({ ...noUsage, input_tokens: 9_999 }, price.price),
        { id, organization: of, model, mode, meter },
        {
          source: "sweeper",
          evidence: "none",
          period: period.id,
          ...(resolution !== undefined && { resolution }),
        },
      ),
    );
  await ledger.record(estimates);
  expect((await ledger.record(events)).filter((each) => each === "corrected")).toHaveLength(estimates.length);
  return events;
}

/** What the ledger has charged in a range, and the calls of it. */
async function bookedIn(organizations: readonly string[], from: number, to: number) {
  let charged = 0n;
  for (const organization of organizations) {
    for (let hour = hourOf(from); hour < nextHour(hourOf(to)); hour = nextHour(hour)) {
      const start = Math.max(from, Date.parse(`${hour}:00:00Z`));
      const end = Math.min(to, Date.parse(`${nextHour(hour)}:00:00Z`));
      if (start >= end) continue;
      for await (const { points } of ledger.eachEntry(organization, start, end))
        charged += parsePoints(points);
    }
  }
  return formatPoints(charged);
}

const forecast = (from: number, to: number, other = catalog, organization?: string) =>
  forecastLedger({ from, to, ...(organization !== undefined && { organization }) }, "5", {
    ...{ accounts, ledger, catalog: other },
  });

const deps = { accounts, ledger, seller: catalog.seller() };

/** The catalog that ships, changed. */
const changed = (change: object) => createCatalog(parseCatalog({ ...catalogFile, ...change }));

describe("calls", () => {
  test("of any range are the ledger's, with the catalog that they were made with", async () => {
    const organizations = [await signedUp(db, noon), await signedUp(db, noon)];
    const ids = organizations.map(({ id }) => id);
    const events = (await Promise.all(organizations.map((each, n) => recorded(each, n + 1)))).flat();
    const random = seeded(9);
    for (let n = 0; n < 6; n++) {
      // Every range begins or ends at an admission, to the millisecond.
      const ends = [events[random(events.length)]?.admitted_at ?? 0, noon + random(3 * hourMs)];
      const [from = 0, to = 0] = n === 0 ? [noon, noon + 3 * hourMs] : ends.sort((a, b) => a - b);
      const { totals, customers, models, kept, gone, unpriced, over } = await forecast(from, to);
      const within = events.filter(({ id }) => from <= timeOf(id) && timeOf(id) < to);
      expect(totals.charged_now).toBe(await bookedIn(ids, from, to));
      expect(totals.calls_now).toBe(within.length);
      for (const row of [totals, ...customers, ...models]) {
        expect(row.charged_then).toBe(row.charged_now);
        expect([row.list_then, row.calls_then, row.difference]).toEqual([row.list_now, row.calls_now, "0"]);
      }
      expect([kept, gone, unpriced, over.customers]).toEqual([[], [], [], 0]);
      const { calls_now: calls, charged_now: charged, list_now: list } = totals;
      expect((await marginOf({ from, to }, deps)).totals).toMatchObject({ calls, charged, list });
      expect(new Set(models.map(({ model }) => model))).toEqual(new Set(within.map(({ model }) => model)));
    }
    const [first = ""] = ids;
    const own = await forecast(noon, noon + 3 * hourMs, catalog, first);
    expect(own.customers.map(({ organization }) => organization)).toEqual([first]);
    expect(own.totals.charged_now).toBe(await bookedIn([first], noon, noon + 3 * hourMs));
  });

  test("cost the other prices, and what the other catalog lacks is named", async () => {
    const organization = await signedUp(db, noon);
    const { id } = organization;
    const events = await recorded(organization, 5);
    const [gone] = events;
    const models = catalogFile.models
      .filter((model) => model.id !== gone?.model)
      .map((model) => ({ ...model, discount_rate: String(2 * Number(model.discount_rate ?? 1)) }));
    const report = await forecast(noon, noon + 3 * hourMs, changed({ models }), id);
    const charged = (event: UsageEvent) => parsePoints(event.cost_points);
    const sum = events.reduce((total, event) => total + charged(event), 0n);
    expect(report.totals).toMatchObject({
      charged_now: formatPoints(sum),
      charged_then: formatPoints(2n * sum - (gone ? charged(gone) : 0n)),
    });
    const told = { entries: 1, points: gone?.cost_points, list_points: gone?.list_points };
    expect(report.gone).toEqual([{ model: gone?.model, ...told }]);
    expect(report.kept).toEqual([{ reason: "model_gone", ...told }]);
    expect(report.over.customers).toBe(1);
  });
});

describe("plan fees", () => {
  const year = [signUp, signUp + 365 * 24 * hourMs] as const;
  const dearer = () =>
    changed({
      plans: {
        ...catalogFile.plans,
        lite: { ...catalogFile.plans.lite, price: { monthly: "150", quarterly: "327", yearly: "1188" } },
      },
    });

  test("are those of the periods that begin in the range, also of orders", async () => {
    const { id, order, pay } = await customer(db);
    await pay(await order("lite", "monthly"));
    await pay(await order("lite", "monthly"));
    const same = await forecast(...year, catalog, id);
    expect(same.totals).toMatchObject({ fees_now: "258", fees_then: "258", difference: "0" });
    expect(same.kept).toEqual([]);
    const { totals, customers } = await forecast(...year, dearer(), id);
    expect(totals).toMatchObject({ fees_now: "258", fees_then: "300", difference: "42", revenue_now: "258" });
    expect(customers).toMatchObject([{ organization: id, over: true, percent: "16.27" }]);
    const first = await forecast(signUp, signUp + 24 * hourMs, dearer(), id);
    expect(first.totals).toMatchObject({ fees_now: "129", fees_then: "150" });
  });
});

describe("fees of plans that were changed are the ledger's, and the others cost the other price", () => {
  const dayMs = 24 * hourMs;
  const [begin, paidBack, end] = [signUp, signUp + 15 * dayMs, signUp + 365 * dayMs];
  /** Every plan of the catalog that costs something is dearer. */
  const dearer = changed({
    plans: {
      ...catalogFile.plans,
      lite: { ...catalogFile.plans.lite, price: { monthly: "150", quarterly: "400", yearly: "1500" } },
      pro: { ...catalogFile.plans.pro, price: { monthly: "900", quarterly: "2500", yearly: "9000" } },
    },
  });
  const feesOf = async (id: string, from: number, to: number) => {
    const { totals, kept, over } = await forecast(from, to, dearer, id);
    const margin = await marginOf({ from, to, organization: id }, deps);
    expect(margin.totals.fees).toBe(totals.fees_now);
    const changes = kept.map(({ reason, entries, points }) => [reason, entries, points]);
    return [totals.fees_now, totals.fees_then, changes, over.customers];
  };

  test("of a refund of a part, with the refund in the range and behind it", async () => {
    const { id, clock, buy, refund } = await buyer(db);
    const bought = await buy("lite", "monthly");
    clock.now = paidBack;
    expect((await refund(bought)).refunded).toBe(6_450);
    expect(await feesOf(id, begin, end)).toEqual(["64.5", "64.5", [["plan_changed", 2, "64.5"]], 0]);
    expect(await feesOf(id, begin, paidBack)).toEqual(["129", "129", [["plan_changed", 1, "129"]], 0]);
    expect(await feesOf(id, paidBack, end)).toEqual(["-64.5", "-64.5", [["plan_changed", 1, "-64.5"]], 0]);
  });

  test("of a renewal that is paid back whole before it begins, beside the fee that runs", async () => {
    const { id, clock, buy, refund } = await buyer(db);
    await buy("lite", "monthly");
    const renewal = await buy("lite", "monthly");
    clock.now = paidBack;
    expect((await refund(renewal)).refunded).toBe(12_900);
    expect(await feesOf(id, begin, end)).toEqual(["129", "150", [["plan_changed", 2, "0"]], 1]);
    expect(await feesOf(id, begin, paidBack)).toEqual(["129", "150", [], 1]);
    // What is given back begins before the fee that it gives back.
    expect(await feesOf(id, paidBack, paidBack + dayMs)).toEqual([
      "-129",
      "-129",
      [["plan_changed", 1, "-129"]],
      0,
    ]);
    expect(await feesOf(id, paidBack + dayMs, end)).toEqual(["129", "129", [["plan_changed", 1, "129"]], 0]);
  });

  test("of an upgrade, with the fees whose rest it took off, and not of the renewal after it", async () => {
    const { id, clock, buy } = await buyer(db);
    await buy("lite", "monthly");
    await buy("lite", "monthly");
    clock.now = paidBack;
    await buy("pro", "monthly");
    const [now, same] = await feesOf(id, begin, end);
    expect([now, await feesOf(id, begin, paidBack)]).toEqual([
      same,
      ["129", "129", [["plan_changed", 1, "129"]], 0],
    ]);
    await buy("pro", "monthly");
    const price = parsePoints(catalog.plan("pro")?.price.monthly ?? "");
    expect((await feesOf(id, begin, end)).slice(0, 3)).toEqual([
      formatPoints(parsePoints(String(now)) + price),
      formatPoints(parsePoints(String(now)) + parsePoints("900")),
      [["plan_changed", 3, now]],
    ]);
  });
});

test("an empty range, and one without anything, has no rows", async () => {
  const { id } = await signedUp(db, noon);
  for (const [from, to] of [
    [noon, noon],
    [noon - 9 * hourMs, noon - 8 * hourMs],
  ] as const) {
    const report = await forecast(from, to, catalog, id);
    expect(report.totals).toMatchObject({ calls_now: 0, charged_now: "0", fees_then: "0" });
    expect([report.customers, report.models, report.kept]).toEqual([[], [], []]);
  }
});

describe("an entry that cannot be priced ends the forecast, and is named", () => {
  const read = async (organization: string, change: (entry: Entry) => Entry) => {
    const broken: ExportedLedger = {
      ...ledger,
      async *eachEntry(...of) {
        for await (const entry of ledger.eachEntry(...of)) yield change(entry);
      },
      creditsAndFees: async (of) => (await ledger.creditsAndFees(of)).map(change),
    };
    const range = { organization, from: signUp, to: signUp + 365 * 24 * hourMs };
    return await forecastLedger(range, "5", { accounts, ledger: broken, catalog });
  };

  test("a call with a count that is none, and one whose points are none", async () => {
    const organization = await signedUp(db, noon);
    const [model] = catalog.models();
    if (!model) throw new Error("no model");
    const call = callOf(model, organization, noon, seeded(3));
    await ledger.record([call]);
    const counts = (input_tokens: number) => (entry: Entry) => ({
      ...entry,
      event: entry.event && { ...entry.event, usage: { ...entry.event.usage, input_tokens } },
    });
    for (const count of [1.5, -1])
      await expect(read(organization.id, counts(count))).rejects.toThrow(
        `${call.id} cannot be priced: not a count: ${count}`,
      );
    const pointless = read(organization.id, (entry) => ({ ...entry, points: "many" }));
    await expect(pointless).rejects.toThrow(`${call.id} cannot be priced: `);
  });

  test("a fee whose points are none", async () => {
    const { id, buy } = await buyer(db);
    await buy("lite", "monthly");
    const pointless = read(id, (entry) =>
      entry.fee?.plan === "lite" ? { ...entry, points: "many" } : entry,
    );
    await expect(pointless).rejects.toThrow(/^plan_fee#\S+ cannot be priced: /);
  });
});
