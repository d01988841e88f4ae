/** A key's budget in the admitting write: it lets in what fits, to the last digit. A refusal says what is left. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { BudgetPeriod } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { budgetOf, type Mode, newSpender, type Spender, usedOf } from "#test/support/budgets.ts";
import {
  admit,
  counting,
  looking,
  noon,
  planLimits,
  repeating,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, meters } = useStores();

const day = 86_400_000;
const itemOf = async (meter: string) => (await getItem(db.aws, db.tables.counters, meterKey(meter, 0))) ?? {};
const budgetNames = async ({ meter }: Spender) =>
  Object.keys(await itemOf(meter)).flatMap((name) => /^k.{10}:(b.*)$/.exec(name)?.[1] ?? []);

/** What a refusal is on each mode. */
const refusedAs = { payg: "insufficient_balance", subscription: "quota_exhausted" } as const;

describe.each<Mode>(["payg", "subscription"])("the budget of a %s key", (mode) => {
  const error = refusedAs[mode];

  test("lets in what fits to the last digit and refuses the least bit more, taking nothing", async () => {
    const spender = await newSpender(db, mode, budgetOf("1"));
    expect(await meters.admit(spender.hold("0.4"))).toMatchObject({ admitted: true });
    expect(await meters.admit(spender.hold("0.599999999999999999"))).toMatchObject({ admitted: true });
    const before = await itemOf(spender.meter);
    expect(await meters.admit(spender.hold("0.000000000000000002"))).toMatchObject({ error });
    expect(await itemOf(spender.meter)).toEqual(before);
    expect(await meters.admit(spender.hold("0.000000000000000001"))).toMatchObject({ admitted: true });
    expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "1" });
    expect(await meters.admit(spender.hold("0"))).toMatchObject({ admitted: true });
  });

  test("says what is spent, held and needed, and when it resets", async () => {
    const spender = await newSpender(db, mode, budgetOf("1", "month"));
    const first = spender.hold("0.9");
    await meters.admit(first);
    await meters.settle(ticketOf(first), spender.charged("0.7"));
    await meters.admit(spender.hold("0.2"));
    const refused = await meters.admit(spender.hold("0.4"));
    expect(refused).toMatchObject({
      error,
      message:
        "The key's budget of 1 points per month (UTC) does not cover the call, which may cost up to 0.4 points: 0.1 are left, 0.7 are spent and 0.2 are held by calls in flight. It resets at 2026-12-01T00:00:00.000Z. Who manages keys can raise it.",
    });
    expect(refused).not.toHaveProperty("retryAfterSeconds");
    expect(refused).not.toHaveProperty("tryOtherShard");
  });

  test("is worth waiting for where only calls in flight are in the way", async () => {
    const spender = await newSpender(db, mode, budgetOf("1", "total"));
    await meters.admit(spender.hold("0.8"));
    const refused = await meters.admit(spender.hold("0.4"));
    expect(refused).toMatchObject({
      error,
      message: expect.stringMatching(/0 are spent and 0\.8 are held .* Try again when they have ended\./),
    });
    expect("retryAfterSeconds" in refused).toBe(mode === "payg");
  });

  test("says so of a call that alone is more than all of it", async () => {
    const spender = await newSpender(db, mode, budgetOf("1", "total"));
    for (const already of ["0", "0.5"]) {
      await meters.admit(spender.hold(already));
      const refused = await meters.admit(spender.hold("1.5"));
      expect(refused).toMatchObject({
        error,
        message: expect.stringContaining(
          "The key's whole budget of 1 points in total is less than the call may cost, which is up to 1.5 points. Ask for less",
        ),
      });
      expect(refused).not.toHaveProperty("retryAfterSeconds");
    }
  });

  test("keeps what was charged in place of what was held, and nothing of a call given back", async () => {
    const spender = await newSpender(db, mode, budgetOf("1"));
    const [charged, failed, overrun] = [spender.hold("0.5"), spender.hold("0.2"), spender.hold("0.1")];
    for (const hold of [charged, failed, overrun]) await meters.admit(hold);
    expect(await meters.settle(ticketOf(charged), spender.charged("0.3"))).toBe(true);
    expect(await meters.settle(ticketOf(charged), spender.charged("0.3"))).toBe(false);
    expect(await usedOf(meters, spender)).toEqual({ spent: "0.3", held: "0.3" });
    await meters.settle(ticketOf(failed), settlement({ giveBack: true, listPoints: 10n ** 17n }));
    expect(await usedOf(meters, spender)).toEqual({ spent: "0.3", held: "0.1" });
    await meters.settle(ticketOf(overrun), spender.charged("0.9"));
    expect(await usedOf(meters, spender)).toEqual({ spent: "1.2", held: "0" });
    expect(await meters.admit(spender.hold("0"))).toMatchObject({ error });
  });

  test("is its key's alone", async () => {
    const spender = await newSpender(db, mode, budgetOf("1"));
    await meters.admit(spender.hold("1"));
    const other = { ...spender.hold("1"), key: newId("key", noon) };
    expect(await meters.admit(other)).toMatchObject({ admitted: true });
    const { limits: _none, ...free } = spender.hold("5");
    expect(await meters.admit(free)).toMatchObject({ admitted: true });
    expect(await meters.admit(spender.hold("0.1"))).toMatchObject({ error });
  });

  test("counts an admission once whose first answer was lost, and its end too", async () => {
    const spender = await newSpender(db, mode, budgetOf("1"));
    const twice = createMeters(repeating(db.aws), db.tables);
    const hold = spender.hold("0.6");
    expect(await twice.admit(hold)).toMatchObject({ admitted: true });
    expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "0.6" });
    await twice.settle(ticketOf(hold), spender.charged("0.25"));
    expect(await usedOf(meters, spender)).toEqual({ spent: "0.25", held: "0" });
  });

  test("gets back what a call held that was abandoned, or refused by another limit", async () => {
    const spender = await newSpender(db, mode, { ...budgetOf("1"), max_concurrency: 1 });
    const abandoned = spender.hold("1");
    await meters.admit(abandoned);
    await meters.abandon(ticketOf(abandoned));
    expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "0" });
    await meters.admit(spender.hold("0.5"));
    const before = await itemOf(spender.meter);
    expect(await meters.admit(spender.hold("0.5"))).toMatchObject({ error: "rate_limited" });
    expect(await itemOf(spender.meter)).toEqual(before);
  });

  test("of 50 calls at once admits the ten that it is worth", async () => {
    const spender = await newSpender(db, mode, budgetOf("1", "total"));
    const all = await Promise.all(Array.from({ length: 50 }, () => meters.admit(spender.hold("0.1"))));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(10);
    expect(await usedOf(meters, spender, "total")).toEqual({ spent: "0", held: "1" });
  });

  test.each<[BudgetPeriod, number, boolean]>([
    ["day", Date.parse("2026-11-21T23:59:59.999Z"), false],
    ["day", Date.parse("2026-11-22T00:00:00.000Z"), true],
    ["month", Date.parse("2026-11-30T23:59:59.999Z"), false],
    ["month", Date.parse("2026-12-01T00:00:00.000Z"), true],
    ["total", Date.parse("2031-01-01T00:00:00.000Z"), false],
  ])("of a %s at %i begins anew: %s", async (period, at, anew) => {
    const spender = await newSpender(db, mode, budgetOf("1", period));
    const first = spender.hold("1");
    await meters.admit(first);
    await meters.settle(ticketOf(first), spender.charged("1"));
    expect(await meters.admit(spender.hold("1", at))).toMatchObject(anew ? { admitted: true } : { error });
  });

  test("takes no write more and no unit more than a key without one", async () => {
    const units = async (limits: ReturnType<typeof budgetOf>) => {
      const counted = counting(db.aws);
      const store = createMeters(counted.aws, db.tables);
      const spender = await newSpender(db, mode, limits);
      // The first call of the day marks the meter too.
      for (const hold of [spender.hold("0.1"), spender.hold("0.5")]) {
        counted.units.clear();
        expect(await store.admit(hold)).toMatchObject({ admitted: true });
        await store.settle(ticketOf(hold), spender.charged("0.1"));
      }
      return counted.units;
    };
    const plain = await units({ max_concurrency: 5 });
    expect([...plain]).toEqual([["UpdateItem", 2]]);
    expect(await units(budgetOf("1", "month"))).toEqual(plain);
  });

  test("leaves the counters of the running and the last period, and the one of all time", async () => {
    for (const [period, step, kept] of [
      ["day", day, ["bd20780", "bd20781"]],
      ["month", 31 * day, ["bm202701", "bm202702"]],
      ["total", 400 * day, ["bt"]],
    ] as const) {
      const spender = await newSpender(db, mode, budgetOf("1", period));
      for (const count of [0, 1, 2, 3]) {
        const hold = looking(spender.hold("0.1", noon + count * step));
        await meters.settle(await admit(meters, hold), spender.charged("0.1", hold.at + 1000));
      }
      expect((await budgetNames(spender)).sort()).toEqual(kept);
    }
  });

  test("keeps the counter of a day that is long over while a hold may still give back to it", async () => {
    const spender = await newSpender(db, mode, budgetOf("1"));
    const old = spender.hold("0.5");
    const ticket = await admit(meters, old);
    const later = looking(spender.hold("0.5", noon + 5 * day));
    await meters.settle(await admit(meters, later), spender.charged("0.5", later.at));
    expect((await budgetNames(spender)).sort()).toEqual(["bd20778", "bd20783"]);
    await meters.settle(ticket, spender.charged("0.2", later.at + 1));
    expect(await usedOf(meters, spender)).toEqual({ spent: "0.2", held: "0" });
    expect(await usedOf(meters, spender, "day", later.at)).toEqual({ spent: "0.5", held: "0" });
  });
});

test("a budget is asked before the balance, and a balance that is too low is no matter of the budget", async () => {
  const spender = await newSpender(db, "payg", budgetOf("2000"));
  const refused = await meters.admit(spender.hold("1500"));
  expect(refused).toMatchObject({
    error: "insufficient_balance",
    lack: { free: parsePoints("1000"), posted: parsePoints("1000") },
  });
  expect(refused).not.toHaveProperty("message");
  expect(await meters.admit(spender.hold("2500"))).toMatchObject({
    lack: { free: parsePoints("2000") },
    message: expect.stringContaining("The key's whole budget of 2000 points"),
  });
});

test("a subscription without calls left says so, whatever its key's budget has left", async () => {
  const spender = await newSpender(db, "subscription", budgetOf("1"));
  const hold = { ...spender.hold("0.1"), planLimits: planLimits({ quota: 0 }) };
  expect(await meters.admit(hold)).toMatchObject({ message: expect.stringMatching(/^The quota of 0 calls/) });
});

test("a count of tokens is free, also where the budget is used up", async () => {
  const spender = await newSpender(db, "subscription", budgetOf("1"));
  await meters.admit(spender.hold("1"));
  const count = { ...spender.hold("1"), counting: true as const };
  expect(await meters.admit(count)).toMatchObject({ admitted: true });
});

test("a strict step is held against the budget in the same write, and refused in its name", async () => {
  const spender = await newSpender(db, "payg", budgetOf("1"));
  const hold = spender.hold("0.3");
  const ticket = await admit(meters, hold);
  await meters.admit(spender.hold("0.2"));
  const raised = { ...ticket, hold: { ...hold, points: 8n * 10n ** 17n } };
  for (let i = 0; i < 2; i++) {
    expect(await meters.extend(ticket, 8n * 10n ** 17n)).toEqual({ extended: true, ticket: raised });
  }
  expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "1" });
  expect(await meters.extend(raised, 9n * 10n ** 17n)).toEqual({
    extended: false,
    error: "insufficient_balance",
    message: expect.stringContaining(
      "does not cover the next part of the answer, which may cost up to 0.1 points: 0 are left, 0 are spent and 1 are held",
    ),
  });
  await meters.settle(raised, spender.charged("0.75"));
  expect(await usedOf(meters, spender)).toEqual({ spent: "0.75", held: "0.2" });
});

test("a hold of before there were budgets ends as ever, also one of the same key", async () => {
  const spender = await newSpender(db, "payg", budgetOf("1"));
  const old = { ...walletHold(spender.meter, "3", noon, spender.key), limits: { max_concurrency: 9 } };
  await meters.admit(old);
  await meters.admit(spender.hold("0.5"));
  await meters.settle(ticketOf(old), settlement({ points: 10n ** 18n }));
  expect(await usedOf(meters, spender)).toEqual({ spent: "0", held: "0.5" });
});
