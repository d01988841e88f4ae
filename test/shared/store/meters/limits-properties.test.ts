/** Limits under random traffic on the embedded DynamoDB: no minute and no key ever has more than it may. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyLimits } from "#shared/accounts/account.ts";
import type { Hold, Terms } from "#shared/meters/meter.ts";
import { newId } from "#shared/platform/id.ts";
import type { Item } from "#shared/store/dynamodb/attributes.ts";
import { meterKey } from "#shared/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/store/dynamodb/items.ts";
import { staleNames } from "#shared/store/meters/meter-item.ts";
import { noon, openPlan, planHold, settlement, terms } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const seed = 20261121;
const { db, meters } = useStores();

const itemOf = async (meter: string) => (await getItem(db.aws, db.tables.counters, meterKey(meter, 0))) ?? {};

/** One thing that happens after a pause: a call of one of the keys, or the end of one that is in flight. */
interface Step {
  pause: number;
  what: "call" | "settle" | "give back";
  key: number;
  tokens: number;
}

interface Caller {
  id: string;
  limits?: KeyLimits;
}

/** A subscription under traffic, and what an onlooker who only counts knows of it. */
class Traffic {
  readonly calls: { at: number; key: string; tokens: number; day: number }[] = [];
  readonly inFlight: Hold[] = [];
  /** What the refused calls were told. */
  readonly refusals: string[] = [];
  private now = noon;
  private readonly meter: string;
  private readonly plan: Terms;
  private readonly callers: Caller[];

  constructor(meter: string, plan: Terms, callers: Caller[]) {
    this.meter = meter;
    this.plan = plan;
    this.callers = callers;
  }

  async take({ pause, what, key, tokens }: Step): Promise<void> {
    this.now += pause;
    if (what === "call") return await this.call(this.callers[key % this.callers.length] as Caller, tokens);
    const [hold] = this.inFlight.splice(tokens % Math.max(1, this.inFlight.length), 1);
    if (!hold) return;
    const give_back = what === "give back";
    await meters.settle(hold, settlement({ give_back, tokens, at: this.now }));
    const index = this.calls.findIndex(({ at, key }) => at === hold.at && key === hold.key);
    if (give_back) this.calls.splice(index, 1);
  }

  private async call({ id, limits }: Caller, tokens: number): Promise<void> {
    const hold: Hold = {
      ...planHold(this.meter, this.plan, tokens, this.now, id),
      ...(limits && { limits }),
    };
    const before = await itemOf(this.meter);
    const admission = await meters.admit(hold);
    if (admission.admitted) {
      this.calls.push({ at: this.now, key: id, tokens, day: Math.floor(this.now / 86_400_000) });
      this.inFlight.push(hold);
    } else {
      this.refusals.push(admission.message ?? "");
      const stale = staleNames(before, this.now);
      expect(standing(await itemOf(this.meter), stale)).toEqual(standing(before, stale));
    }
    this.check({ id, ...(limits && { limits }) });
  }

  /** The minute that ends now, for the plan and for the key that has just called. */
  private check({ id, limits }: Caller): void {
    const minute = this.calls.filter(({ at }) => at > this.now - 60_000);
    if (this.plan.rpm !== null) expect(minute.length).toBeLessThanOrEqual(this.plan.rpm);
    const own = minute.filter(({ key }) => key === id);
    if (limits?.rpm !== undefined) expect(own.length).toBeLessThanOrEqual(limits.rpm);
    const flying = this.inFlight.filter(({ key }) => key === id).length;
    if (limits?.max_concurrency !== undefined) expect(flying).toBeLessThanOrEqual(limits.max_concurrency);
  }
}

/** What stands on an item that a refusal must leave alone: all but what is stale. A counter of zero is none. */
function standing(item: Item, stale: string[]): Item {
  const kept = Object.entries(item).filter(([name]) => !stale.includes(name));
  return Object.fromEntries(kept.filter(([, value]) => !("N" in value && value.N === "0")));
}

function steps(rpm: number, length: number): fc.Arbitrary<Step[]> {
  return fc.array(
    fc.record({
      pause: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 0, max: Math.floor(12_000 / rpm) }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: Math.floor(60_000 / rpm) }) },
      ),
      what: fc.oneof(
        { weight: 8, arbitrary: fc.constant("call" as const) },
        { weight: 1, arbitrary: fc.constant("settle" as const) },
        { weight: 1, arbitrary: fc.constant("give back" as const) },
      ),
      key: fc.nat(99),
      tokens: fc.nat(50),
    }),
    { minLength: length, maxLength: length },
  );
}

describe("random traffic", () => {
  test.each([
    [3, 60, 8],
    [60, 240, 2],
    [600, 1100, 1],
  ])(
    "under %i requests a minute keeps plan, keys and caps",
    async (rpm, length, numRuns) => {
      const few = Math.ceil(rpm / 10);
      const refusals: string[] = [];
      await fc.assert(
        fc.asyncProperty(steps(rpm, length), async (all) => {
          const limits: (KeyLimits | undefined)[] = [
            ...Array.from({ length: 4 }, () => undefined),
            { rpm: few },
            { max_concurrency: few },
            { rpm: few + 1, max_concurrency: few + 1, tpd: 15 * few },
          ];
          const callers = limits.map((own) => ({ id: newId("key", noon), ...(own && { limits: own }) }));
          const traffic = new Traffic(await openPlan(db), terms({ rpm, quota: 1_000_000 }), callers);
          for (const step of all) await traffic.take(step);
          refusals.push(...traffic.refusals);
        }),
        { seed, numRuns, endOnFailure: true },
      );
      for (const limit of [
        /^The limit of \d+ requests/,
        /key's limit of \d+ requests/,
        /in flight/,
        /key's limit of \d+ tokens per day/,
      ])
        expect(refusals).toContainEqual(expect.stringMatching(limit));
    },
    60_000,
  );
});

describe("one place left, and many who want it at once", () => {
  const plan = terms({ quota: 5, rpm: 600 });
  test.each<[string, Terms, KeyLimits | undefined]>([
    ["the last call of the quota", plan, undefined],
    ["the last request of the plan's minute", terms({ rpm: 5 }), undefined],
    ["the last request of the key's minute", terms({ rpm: 600 }), { rpm: 5 }],
    ["the last place in flight", terms({ rpm: 600 }), { max_concurrency: 5 }],
    ["the last tokens of the key's day", terms({ rpm: 600 }), { tpd: 50 }],
  ])("%s is given once", async (_, limits, own) => {
    const meter = await openPlan(db);
    const key = newId("key", noon);
    const hold = (at: number) => ({ ...planHold(meter, limits, 10, at, key), ...(own && { limits: own }) });
    for (let i = 0; i < 4; i++) expect(await meters.admit(hold(noon + i))).toMatchObject({ admitted: true });
    const all = await Promise.all(Array.from({ length: 30 }, () => meters.admit(hold(noon + 10))));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(1);
    expect((await meters.readMeter(meter, 0))?.holds.size).toBe(5);
  });

  test("a hundred keys of one subscription share its minute", async () => {
    const meter = await openPlan(db);
    const calls = Array.from({ length: 100 }, (_, i) => {
      const hold = planHold(meter, terms({ rpm: 60 }), 0, noon + i, newId("key", noon));
      return i % 2 === 0 ? hold : { ...hold, limits: { rpm: 60 } };
    });
    const all = await Promise.all(calls.map((hold) => meters.admit(hold)));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(60);
  });
});
