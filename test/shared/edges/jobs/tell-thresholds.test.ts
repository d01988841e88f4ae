/** Lines about thresholds on the embedded DynamoDB: once each, over all shards, whatever dies or runs twice. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord } from "#shared/books/accounts/account.ts";
import { hourMs } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { ThresholdLooks } from "#shared/edges/jobs/tell-thresholds.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { thresholdsKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createThresholds } from "#shared/edges/store/thresholds.ts";
import { budgetOf } from "#test/support/budgets.ts";
import { admit, noon, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  budgetedWallet,
  linesOf,
  lookAt,
  monthly,
  spend,
  takeBack,
  toldTo,
  withBudgets,
} from "#test/support/thresholds.ts";
import { keyOf, newWallet, storesOn } from "#test/support/wallets.ts";

const { db, accounts, meters } = useStores();

const budgeted = async (shards = 1) => await budgetedWallet(db, shards);

class Crash extends Error {}

/** A client that dies after so many calls: the last is made, and its answer never seen. */
function dyingAfter(calls: number): Aws & { died: () => boolean } {
  let left = calls;
  const aws: Aws = async (service, action, input) => {
    if (left <= 0) throw new Crash();
    left -= 1;
    const answer = await db.aws(service, action, input);
    if (left === 0) throw new Crash();
    return answer as never;
  };
  return Object.assign(aws, { died: () => left <= 0 });
}

describe("a budget", () => {
  test("is told of at each threshold, once, with what is spent", async () => {
    const organization = await budgeted();
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([]);
    await spend(db, organization, "49.99");
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([]);
    await spend(db, organization, "0.01");
    for (let times = 0; times < 3; times++) await lookAt(db, organization);
    const [line, ...others] = await linesOf(db, organization);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      ...{
        kind: "budget_reached",
        subject: organization.id,
        actor: "platform",
        ip: null,
        before: null,
      },
      after: {
        ...{ percent: 50, level: "organization", billing_mode: "payg" },
        ...{ budget_points: "100", budget_period: "month", spent_points: "50" },
        resets_at: "2026-12-01T00:00:00.000Z",
      },
    });
    await spend(db, organization, "50");
    await lookAt(db, organization);
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([50, 80, 100]);
  });

  test("is not told of what calls in flight hold", async () => {
    const organization = await budgeted();
    const key = keyOf(organization);
    const bounds = [
      { level: "organization", account: "O", points: parsePoints("100"), period: "month" },
    ] as const;
    const hold = { ...walletHold(organization.wallet?.meter ?? "", "90", noon, key.id), bounds: [...bounds] };
    const ticket = await admit(meters, hold);
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([]);
    await meters.settle(ticket, settlement({ points: parsePoints("60") }));
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([50]);
  });

  test("of a project, a member and a key is told by its name, and that of end customers is not", async () => {
    const wallet = await newWallet(db, "1000");
    const member = newId("user", noon);
    const key: KeyRecord = {
      ...keyOf(wallet),
      ...{ project: "search", created_by: member, name: "crawler", limits: budgetOf("10", "day") },
    };
    await accounts.createKey(key);
    const organization = await withBudgets(db, wallet, [
      { level: "project", id: "search", points: "20", period: "day" },
      { level: "member", id: member, points: "16", period: "total" },
      { level: "customer", id: "", points: "10", period: "day" },
    ]);
    await lookAt(db, organization);
    await spend(db, organization, "10", { key });
    await lookAt(db, organization, { isWhole: false });
    const told = (await linesOf(db, organization)).map(({ subject, after }) => [
      subject,
      after?.level,
      after?.percent,
      after?.name,
    ]);
    expect(told).toHaveLength(5);
    expect(told).toEqual(
      expect.arrayContaining([
        ["search", "project", 50, undefined],
        [member, "member", 50, undefined],
        [key.id, "key", 50, "crawler"],
        [key.id, "key", 80, "crawler"],
        [key.id, "key", 100, "crawler"],
      ]),
    );
  });

  test("that is changed counts anew, and what was taken back is not told twice", async () => {
    const organization = await budgeted();
    await spend(db, organization, "80");
    await lookAt(db, organization);
    await takeBack(db, organization, "O:bm202611", "40");
    await lookAt(db, organization);
    await spend(db, organization, "45");
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([50, 80]);
    // 85 of 200 are no threshold, and 85 of 90 are two.
    await withBudgets(db, organization, [monthly("200")]);
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([50, 80]);
    await withBudgets(db, organization, [monthly("90")]);
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([50, 80, 50, 80]);
    await withBudgets(db, organization, []);
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([50, 80, 50, 80]);
  });

  test("counts anew with its next period, and a look whose clock is behind tells nothing again", async () => {
    const organization = await budgeted();
    await spend(db, organization, "50");
    await lookAt(db, organization);
    const later = Date.parse("2026-12-01T00:00:00Z");
    await lookAt(db, organization, { now: later });
    expect(await toldTo(db, organization)).toEqual([50]);
    await spend(db, organization, "55", { at: later });
    await lookAt(db, organization, { now: later });
    await lookAt(db, organization, { now: later - 1 });
    expect(await toldTo(db, organization)).toEqual([50, 50]);
  });

  test("that is changed soon after its period has ended tells nothing of that period again", async () => {
    const organization = await budgeted();
    const end = Date.parse("2026-12-01T00:00:00Z");
    await spend(db, organization, "85", { at: end - 2 });
    await lookAt(db, organization, { now: end - 1 });
    for (const points of ["90", "20"]) {
      await withBudgets(db, organization, [monthly(points)]);
      await lookAt(db, organization, { now: end + hourMs });
    }
    expect(await toldTo(db, organization)).toEqual([50, 80]);
  });

  test("that was reached just before its period ended is told for two hours more, and no longer", async () => {
    const [told, late] = [await budgeted(), await budgeted()];
    const end = Date.parse("2026-12-01T00:00:00Z");
    for (const each of [told, late]) await spend(db, each, "85", { at: end - 1 });
    await lookAt(db, told, { now: end + 2 * hourMs - 1 });
    await lookAt(db, late, { now: end + 2 * hourMs });
    expect([await toldTo(db, told), await toldTo(db, late)]).toEqual([[50, 80], []]);
  });
});

describe("once", () => {
  test.each([1, 3])("a look over %i shards that dies after any of its calls", async (shards) => {
    for (let calls = 1; ; calls++) {
      const organization = await budgeted(shards);
      await spend(db, organization, "85");
      const aws = dyingAfter(calls);
      await lookAt(db, organization, { aws, log: () => {} });
      const between = await toldTo(db, organization);
      expect([[], [50, 80]]).toContainEqual(between);
      await lookAt(db, organization);
      expect(await toldTo(db, organization)).toEqual([50, 80]);
      if (!aws.died()) return expect(calls).toBeGreaterThan(3);
    }
  });

  test.each([true, false])("of two looks at the same time (the state is new: %s)", async (isNew) => {
    const organization = await budgeted();
    if (!isNew) await lookAt(db, organization);
    await spend(db, organization, "85");
    const own = createThresholds(db.aws, db.tables);
    let isFirst = true;
    await lookAt(db, organization, {
      thresholds: {
        ...own,
        async change(...change) {
          if (isFirst) {
            isFirst = false;
            await lookAt(db, organization);
          }
          const done = await own.change(...change);
          expect(done).toBe(false);
          return done;
        },
      },
    });
    expect(isFirst).toBe(false);
    expect(await toldTo(db, organization)).toEqual([50, 80]);
  });

  test("a look that fails for one meter looks at the others", async () => {
    const [one, other] = [await budgeted(), await budgeted()];
    for (const each of [one, other]) {
      await lookAt(db, each);
      await spend(db, each, "50");
    }
    const page = (
      await Promise.all([one, other].map(({ wallet }) => meters.shardsOf(wallet?.meter ?? "")))
    ).flat();
    const failed: unknown[] = [];
    const looks = new ThresholdLooks({
      ...storesOn(db.aws, db),
      accounts: {
        ...accounts,
        organization: async (id) =>
          id === one.id ? Promise.reject(new Error("away")) : await accounts.organization(id),
      },
      ...{ thresholds: createThresholds(db.aws, db.tables), plan: () => undefined, topUp: async () => {} },
      log: (level, event, more) => void (level === "error" && failed.push([event, more?.organization])),
    });
    await looks.lookAt(page, false);
    expect(failed).toEqual([["thresholds_failed", one.id]]);
    expect(await toldTo(db, one)).toEqual([]);
    expect(await toldTo(db, other)).toEqual([50]);
  });

  test("a state that cannot be read costs its own meter alone", async () => {
    const [one, other] = [await budgeted(), await budgeted()];
    for (const each of [one, other]) {
      await lookAt(db, each);
      await spend(db, each, "50");
    }
    const key = thresholdsKey(one.wallet?.meter ?? "");
    const put = async (item: Item) =>
      await db.aws("dynamodb", "PutItem", { TableName: db.tables.counters, Item: { ...key, ...item } });
    const page = (
      await Promise.all([one, other].map(({ wallet }) => meters.shardsOf(wallet?.meter ?? "")))
    ).flat();
    const whole = { organization: { S: one.id }, revision: { N: "1" }, marks: { M: {} } };
    const broken: Item[] = [
      ...[whole, { ...whole, samples: { L: [{ L: [{ N: "1" }, { S: "many" }] }] } }, { samples: { L: [] } }],
      { ...whole, samples: { L: [] }, revision: { S: "one" } },
    ];
    for (const item of broken) {
      await put(item);
      const failed: unknown[] = [];
      const looks = new ThresholdLooks({
        ...storesOn(db.aws, db),
        ...{ thresholds: createThresholds(db.aws, db.tables), plan: () => undefined, topUp: async () => {} },
        log: (level, event, more) => void (level === "error" && failed.push([event, more?.error])),
      });
      await looks.lookAt(page, true);
      expect(failed).toEqual([
        ["thresholds_failed", expect.stringContaining(`T#${one.wallet?.meter} cannot be read`)],
      ]);
    }
    expect([await toldTo(db, one), await toldTo(db, other)]).toEqual([[], [50]]);
  });
});
