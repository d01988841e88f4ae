/** Where one period meets the next: quota months against a naive calendar, and calls that end in another period. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import { type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { dayCounter } from "#shared/books/meters/window.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { names } from "#shared/edges/store/meters/meter-item.ts";
import { noon, openPlan, planHold, planLimits, settlement } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const seed = 20261121;
const day = 86_400_000;

describe("quota months", () => {
  const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const monthLength = (year: number, month: number) =>
    month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  const text = (year: number, month: number, date: number) =>
    [year, month, date].map((part) => String(part).padStart(2, "0")).join("-");

  /** The starts of the months of a subscription, counted on the fingers. */
  function* starts(year: number, month: number, date: number): Generator<string> {
    for (;;) {
      yield text(year, month, Math.min(date, monthLength(year, month)));
      month += 1;
      if (month > 12) {
        month = 1;
        year += 1;
      }
    }
  }

  test("are those of a naive calendar, for every day of the start, through leap years", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1999, max: 2101 }),
        fc.integer({ min: 1, max: 12 }),
        fc.oneof(
          { weight: 3, arbitrary: fc.integer({ min: 28, max: 31 }) },
          { weight: 1, arbitrary: fc.integer({ min: 1, max: 27 }) },
        ),
        fc.nat(day - 1),
        (year, month, wanted, time) => {
          const date = Math.min(wanted, monthLength(year, month));
          const startedAt = Date.parse(`${text(year, month, date)}T00:00:00Z`) + time;
          const calendar = starts(year, month, date);
          let start = String(calendar.next().value);
          for (let i = 0; i < 50; i++) {
            const end = String(calendar.next().value);
            const [from, to] = [Date.parse(`${start}T00:00:00Z`), Date.parse(`${end}T00:00:00Z`)];
            const month = { id: start.replaceAll("-", ""), starts_at: from, ends_at: to };
            for (const at of [from, from + time, to - 1]) expect(quotaPeriod(startedAt, at)).toEqual(month);
            start = end;
          }
        },
      ),
      { seed, numRuns: 200 },
    );
  });
});

describe("a call belongs to the time of its admission", () => {
  const { db, meters } = useStores();

  const midnight = Date.parse("2026-12-21T00:00:00Z");
  const [november, december] = ["20261121", "20261221"];
  const key = newId("key", noon);
  const limits = { tpd: 100 };
  const monthOf = (at: number) => quotaPeriod(noon, at);

  async function admit(meter: string, at: number, tokens: number): Promise<Hold> {
    const plan = planLimits({ quota: 2, rpm: 60, tpd: 100, period: monthOf(at) });
    const hold = { ...planHold(meter, plan, tokens, at, key), limits };
    const admission = await meters.admit(hold);
    if (!admission.admitted) throw new Error(`${admission.error}: ${admission.message}`);
    return hold;
  }
  const numbers = async (meter: string, ...wanted: string[]) => {
    const item = (await getItem(db.aws, db.tables.counters, meterKey(meter, 0))) ?? {};
    return wanted.map((name) =>
      "N" in (item[name] ?? {}) ? Number((item[name] as { N: string }).N) : undefined,
    );
  };
  const days = [midnight - 1, midnight].flatMap((at) => [
    dayCounter(at),
    `${names.limited(key)}:${dayCounter(at)}`,
  ]);
  const months = [names.period(november), names.period(december)];

  test.each([
    ["settled", false, [1, 1], [70, 70, 5, 5]],
    ["given back", true, [0, 1], [0, 0, 5, 5]],
  ])("also when it is %s in the next day and month", async (_, giveBack, calls, tokens) => {
    const meter = await openPlan(db);
    const last = await admit(meter, midnight - 1, 60);
    const first = await admit(meter, midnight, 5);
    expect([last.planLimits?.period.id, first.planLimits?.period.id]).toEqual([november, december]);
    await meters.settle(ticketOf(last), settlement({ giveBack, tokens: 70, at: midnight + 300_000 }));
    expect(await numbers(meter, ...months)).toEqual(calls);
    expect(await numbers(meter, ...days)).toEqual(tokens);
  });

  test("also when the sweeper ends it", async () => {
    const meter = await openPlan(db);
    const dead = await admit(meter, midnight - 1, 60);
    await admit(meter, midnight, 5);
    const held = await meters.seize(meter, 0, dead.request);
    if (!held) throw new Error("nothing was held");
    await meters.settleSeized(
      meter,
      0,
      dead.request,
      held,
      settlement({ giveBack: true, at: midnight + day }),
    );
    expect(await numbers(meter, ...months)).toEqual([0, 1]);
    expect(await numbers(meter, ...days)).toEqual([0, 0, 5, 5]);
  });

  test("so that a full month and day refuse until midnight, and not after it", async () => {
    const meter = await openPlan(db);
    for (const at of [midnight - 3, midnight - 2]) await admit(meter, at, 50);
    await expect(admit(meter, midnight - 1, 0)).rejects.toThrow("quota_exhausted");
    await admit(meter, midnight, 100);
    await expect(admit(meter, midnight + 1, 1)).rejects.toThrow(/rate_limited: .*tokens per day/);
    const late = await admit(meter, midnight + day, 1);
    await meters.settle(ticketOf(late), settlement({ tokens: 1, at: midnight + day + 1000 }));
  });

  test("and a debt made after midnight is the old day's, and the running minute's", async () => {
    const meter = await openPlan(db);
    const plan = (at: number) => planLimits({ rpm: 60, tpm: 1000, period: monthOf(at) });
    const last = planHold(meter, plan(midnight - 1), 10, midnight - 1, key);
    await meters.admit(last);
    await meters.settle(ticketOf(last), settlement({ tokens: 950, at: midnight + 120_000 }));
    expect(await numbers(meter, dayCounter(midnight - 1), dayCounter(midnight))).toEqual([950, undefined]);
    const next = await meters.admit(planHold(meter, plan(midnight), 0, midnight + 121_000, key));
    expect(next.limitStatus.tokens?.remaining).toBe(60);
  });
});
