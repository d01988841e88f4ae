/** Lines about low wallets, used quotas and ends of keys, on the embedded DynamoDB, and meters that nobody knows yet. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { dayMs, hourMs } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Plan } from "#shared/books/catalog/catalog.ts";
import { ThresholdLooks } from "#shared/edges/jobs/tell-thresholds.ts";
import { createThresholds } from "#shared/edges/store/thresholds.ts";
import { admit, intentOf, noon, planHold, planLimits, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  budgetedWallet,
  linesOf,
  lookAt,
  spend,
  subscriptionOf,
  takeBack,
  toldTo,
} from "#test/support/thresholds.ts";
import { keyOf, newWallet, storesOn } from "#test/support/wallets.ts";

const { db, accounts, meters, ledger } = useStores();

describe("a wallet", () => {
  const day = (days: number) => noon + days * dayMs;

  test("that lasts fewer than three days at its pace is told of, and again after a recharge", async () => {
    const organization = await newWallet(db, "100");
    await lookAt(db, organization);
    await spend(db, organization, "20");
    await lookAt(db, organization, { now: day(2) });
    expect(await toldTo(db, organization)).toEqual([]);
    // 70 in three days, so 30 are gone in less than two.
    await spend(db, organization, "50", { at: day(3) - 60_000 });
    for (let times = 0; times < 2; times++) await lookAt(db, organization, { now: day(3) });
    const [line, ...others] = await linesOf(db, organization);
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      ...{ kind: "wallet_low", subject: organization.id },
      after: { measure: "days", below: "3", balance_points: "30", days_left: "1.2" },
    });
    const { meter = "" } = organization.wallet ?? {};
    const credit = {
      organization: organization.id,
      meter,
      reference: "more",
      at: day(3),
      points: parsePoints("300"),
    };
    await ledger.credit(credit);
    await lookAt(db, organization, { now: day(3) });
    expect(await toldTo(db, organization)).toHaveLength(1);
    await spend(db, organization, "250", { at: day(4) });
    for (let times = 0; times < 2; times++) await lookAt(db, organization, { now: day(4) });
    expect(await toldTo(db, organization)).toEqual(["wallet_low", "wallet_low"]);
  });

  test("is told of by what its organization has set, and not at all by an empty list", async () => {
    const [sum, never] = [await newWallet(db, "100"), await newWallet(db, "100")];
    const rows = [{ measure: "points", below: "40.5" }] as const;
    await accounts.setRows(sum.id, "wallet_thresholds", { before: undefined, after: [...rows] });
    await accounts.setRows(never.id, "wallet_thresholds", { before: undefined, after: [] });
    for (const each of [sum, never]) {
      await lookAt(db, each);
      await spend(db, each, "59.5");
      await lookAt(db, each, { now: day(1) });
    }
    expect(await toldTo(db, sum)).toEqual([]);
    for (const each of [sum, never]) {
      await spend(db, each, "0.1");
      await lookAt(db, each, { now: day(1) });
    }
    expect((await linesOf(db, sum)).map(({ after }) => after)).toMatchObject([
      { measure: "points", below: "40.5", balance_points: "40.4" },
    ]);
    expect(await toldTo(db, never)).toEqual([]);
  });

  test("that was never credited is not low", async () => {
    const organization = await newWallet(db, "0.000000000000000001");
    await takeBack(db, organization, "granted", "0.000000000000000001");
    await accounts.setRows(organization.id, "wallet_thresholds", {
      before: undefined,
      after: [{ measure: "points", below: "5" }],
    });
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([]);
  });
});

test("the calls of a plan's month are told at 80 and 100 %, and anew with the next month", async () => {
  const organization = await newWallet(db, "1");
  const before = (await accounts.organization(organization.id)) as Organization;
  const subscription = subscriptionOf("pro");
  const [id, now] = [newId("organization", noon), noon + hourMs];
  await meters.open(subscription.meter, 0, "subscription");
  await accounts.createOrganization({ ...before, id, wallet: null, subscription });
  const own = { ...before, id };
  const plan = () => ({ quota: { monthly: 5 } }) as Plan;
  const use = async (calls: number, at: number, period = planLimits().period) => {
    for (let call = 0; call < calls; call++) {
      const ticket = await admit(
        meters,
        planHold(subscription.meter, planLimits({ quota: 5, period }), 1, at),
      );
      await meters.settle(ticket, settlement({ at }));
    }
  };
  await use(3, now);
  await lookAt(db, own, { now, plan });
  expect(await toldTo(db, own)).toEqual([]);
  await use(1, now);
  await lookAt(db, own, { now, plan });
  expect((await linesOf(db, own)).map(({ kind, after }) => [kind, after])).toEqual([
    ["quota_reached", { percent: 80, plan: "pro", quota: 5, used: 4, resets_at: "2026-12-21T00:00:00.000Z" }],
  ]);
  await use(1, now);
  await lookAt(db, own, { now: now + 1, plan });
  const later = Date.parse("2026-12-21T01:00:00Z");
  await use(4, later, { id: "20261221", ends_at: Date.parse("2027-01-21T00:00:00Z") });
  await lookAt(db, own, { now: later, plan });
  expect(await toldTo(db, own)).toEqual([80, 100, 80]);
});

test("a key is told of 7 days and 1 day before its end, if it was made before, and no key of a program is", async () => {
  const organization = await newWallet(db, "1");
  const ending = { ...keyOf(organization), name: "crawler", expires_at: noon + 30 * dayMs };
  const short = { ...keyOf(organization), name: "short", expires_at: noon + 3 * dayMs };
  const program = { ...keyOf(organization), expires_at: noon + 30 * dayMs, program: {} } as KeyRecord;
  const revoked: KeyRecord = { ...keyOf(organization), expires_at: noon + 30 * dayMs };
  for (const key of [ending, short, program, revoked]) await accounts.createKey(key);
  await accounts.revokeKey(organization.id, revoked.id, noon);
  const told = async (days: number) => {
    for (let times = 0; times < 2; times++) await lookAt(db, organization, { now: noon + days * dayMs });
    const lines = await linesOf(db, organization);
    return lines.map(({ kind, subject, after }) => [kind, subject, after?.days]);
  };
  expect(await told(1.9)).toEqual([]);
  const shortly = ["key_expiring", short.id, 1];
  expect(await told(2)).toEqual([shortly]);
  expect(await told(22.9)).toEqual([shortly]);
  const soon = ["key_expiring", ending.id, 7];
  expect(await told(23)).toEqual([shortly, soon]);
  expect(await told(29)).toEqual([shortly, soon, ["key_expiring", ending.id, 1]]);
  expect(await told(31)).toHaveLength(3);
});

describe("a meter that nobody knows", () => {
  test("is known by its calls in flight, or else when everything is looked at", async () => {
    const [calling, resting] = [await budgetedWallet(db), await budgetedWallet(db)];
    for (const each of [calling, resting]) await spend(db, each, "50");
    const hold = walletHold(calling.wallet?.meter ?? "", "1", noon);
    await Promise.all([admit(meters, hold), meters.intend(intentOf(hold, calling.id))]);
    for (const each of [calling, resting]) await lookAt(db, each, { isWhole: false });
    expect([await toldTo(db, calling), await toldTo(db, resting)]).toEqual([[50], []]);
    await lookAt(db, resting);
    expect(await toldTo(db, resting)).toEqual([50]);
  });

  test("and has nothing on it costs no write, and one read for its page", async () => {
    const organization = await newWallet(db, "5");
    const blank = await meters.readMeter(
      (await accounts.organization(organization.id))?.wallet?.meter ?? "",
      0,
    );
    const asked: string[] = [];
    const aws: Aws = (service, action, input) => {
      asked.push(action);
      return db.aws(service, action, input);
    };
    const deps = {
      ...storesOn(aws, db),
      thresholds: createThresholds(aws, db.tables),
      plan: () => undefined,
      topUp: async () => {},
    };
    if (!blank) throw new Error("no meter");
    await new ThresholdLooks(deps).lookAt([{ ...blank, granted: 0n, avail: 0n }], false);
    expect(asked).toEqual(["BatchGetItem"]);
  });
});
