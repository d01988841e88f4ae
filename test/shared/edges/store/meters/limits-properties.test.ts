/** Limits under random traffic on the embedded DynamoDB: no minute and no key ever has more than it may. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyLimits } from "#shared/books/accounts/account.ts";
import type { Hold, PlanLimits, Ticket } from "#shared/books/meters/hold.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { dueNames, leftoversOf } from "#shared/edges/store/meters/meter-item.ts";
import { noon, openPlan, planHold, planLimits, settlement } from "#test/support/store.ts";
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
  readonly inFlight: Ticket[] = [];
  /** What the refused calls were told. */
  readonly refusals: string[] = [];
  private now = noon;
  private readonly meter: string;
  private readonly plan: PlanLimits;
  private readonly callers: Caller[];

  constructor(meter: string, plan: PlanLimits, callers: Caller[]) {
    this.meter = meter;
    this.plan = plan;
    this.callers = callers;
  }

  async take({ pause, what, key, tokens }: Step): Promise<void> {
    this.now += pause;
    if (what === "call") return await this.call(this.callers[key % this.callers.length] as Caller, tokens);
    const [ticket] = this.inFlight.splice(tokens % Math.max(1, this.inFlight.length), 1);
    if (!ticket) return;
    const giveBack = what === "give back";
    await meters.settle(ticket, settlement({ giveBack, tokens, at: this.now }));
    const index = this.calls.findIndex(({ at, key }) => at === ticket.hold.at && key === ticket.hold.key);
    if (giveBack) this.calls.splice(index, 1);
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
      this.inFlight.push(admission.ticket);
    } else {
      this.refusals.push(admission.message ?? "");
      const unused = dueNames(leftoversOf(before), this.now);
      expect(standing(await itemOf(this.meter), unused)).toEqual(standing(before, unused));
    }
    this.check({ id, ...(limits && { limits }) });
  }

  /** The minute that ends now, for the plan and for the key that has just called. */
  private check({ id, limits }: Caller): void {
    const minute = this.calls.filter(({ at }) => at > this.now - 60_000);
    if (this.plan.rpm !== null) expect(minute.length).toBeLessThanOrEqual(this.plan.rpm);
    const own = minute.filter(({ key }) => key === id);
    if (limits?.rpm !== undefined) expect(own.length).toBeLessThanOrEqual(limits.rpm);
    const flying = this.inFlight.filter(({ hold }) => hold.key === id).length;
    if (limits?.max_concurrency !== undefined) expect(flying).toBeLessThanOrEqual(limits.max_concurrency);
  }
}

/** The attributes of an item that a refusal must leave alone: all but the unused ones. A counter of zero is none. */
function standing(item: Item, unused: string[]): Item {
  const kept = Object.entries(item).filter(([name]) => !unused.includes(name));
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
          const traffic = new Traffic(await openPlan(db), planLimits({ rpm, quota: 1_000_000 }), callers);
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
  const plan = planLimits({ quota: 5, rpm: 600 });
  test.each<[string, PlanLimits, KeyLimits | undefined]>([
    ["the last call of the quota", plan, undefined],
    ["the last request of the plan's minute", planLimits({ rpm: 5 }), undefined],
    ["the last request of the key's minute", planLimits({ rpm: 600 }), { rpm: 5 }],
    ["the last place in flight", planLimits({ rpm: 600 }), { max_concurrency: 5 }],
    ["the last tokens of the key's day", planLimits({ rpm: 600 }), { tpd: 50 }],
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
      const hold = planHold(meter, planLimits({ rpm: 60 }), 0, noon + i, newId("key", noon));
      return i % 2 === 0 ? hold : { ...hold, limits: { rpm: 60 } };
    });
    const all = await Promise.all(calls.map((hold) => meters.admit(hold)));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(60);
  });
});
