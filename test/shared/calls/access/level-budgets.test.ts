/** Budgets of organization, project, member, key and end customer, all checked in the one write that admits a call. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { BudgetLevel, LevelBudget } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { type Hold, heldBy, ticketOf } from "#shared/books/meters/hold.ts";
import { boundingOf, boundsOf } from "#shared/books/meters/levels.ts";
import { homeOf } from "#shared/books/meters/shards.ts";
import { take } from "#shared/calls/access/take.ts";
import { updateInput } from "#shared/edges/store/dynamodb/expressions.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { admissionChange } from "#shared/edges/store/meters/admission-writes.ts";
import { names, writeHeld } from "#shared/edges/store/meters/meter-item.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { budgetOf, type Mode } from "#test/support/budgets.ts";
import {
  admit,
  counting,
  intentOf,
  noon,
  openPlan,
  openWallet,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { bytesOf } from "../../../load/item-units.ts";

const { db, meters } = useStores();

const day = 86_400_000;
const member = newId("user", noon);
const key = { project: "search", created_by: member };
const row = (level: BudgetLevel, points: string, change: Partial<LevelBudget> = {}): LevelBudget => {
  const ids = { organization: "", project: "search", member, customer: "" };
  return { level, id: ids[level], points, period: "day", ...change };
};
const levels = ["organization", "project", "member", "customer"] as const;
const all = levels.map((level) => row(level, "10"));

/** A call of a key of the project and member that may cost so many points, for an end customer. */
function spenderOf(mode: Mode, meter: string, of = newId("key", noon)) {
  return (
    points: string,
    budgets: LevelBudget[],
    { user = "ann" as string | null, at = noon } = {},
  ): Hold => {
    const bounds = boundsOf({ budgets }, { key, user });
    return mode === "payg"
      ? { ...walletHold(meter, points, at, of), bounds }
      : { ...planHold(meter, planLimits(), 5, at, of), bounds, listPoints: parsePoints(points) };
  };
}
const open = async (mode: Mode) => await (mode === "payg" ? openWallet(db, "1000") : openPlan(db));
const itemOf = async (meter: string) => (await getItem(db.aws, db.tables.counters, meterKey(meter, 0))) ?? {};
const charged = (mode: Mode, points: string) =>
  settlement({
    points: mode === "payg" ? parsePoints(points) : 0n,
    listPoints: parsePoints(points),
    tokens: 5,
  });
const usesOf = async (meter: string) =>
  Object.fromEntries(
    [...(await meters.budgets(meter))].map(([name, { spent, held }]) => [
      name.replace(/^([A-Z]).*:/, "$1:"),
      `${formatPoints(spent)} ${formatPoints(held)}`,
    ]),
  );

describe.each<Mode>(["payg", "subscription"])("on %s", (mode) => {
  const error = mode === "payg" ? "insufficient_balance" : "quota_exhausted";

  test.each([
    ["organization", "The organization's"],
    ["project", "The project's"],
    ["member", "The member's"],
    ["customer", "The end customer's"],
  ] as const)(
    "the budget of the %s lets in what fits to the last digit, and refuses in its name",
    async (level, whose) => {
      const hold = spenderOf(mode, await open(mode));
      const budgets = all.map((each) => (each.level === level ? row(level, "1") : each));
      const first = hold("0.9", budgets);
      const ticket = await admit(meters, first);
      await meters.settle(ticket, charged(mode, "0.7"));
      await admit(meters, hold("0.2", budgets));
      const before = await itemOf(first.meter);
      expect(await meters.admit(hold("0.100000000000000001", budgets))).toMatchObject({
        error,
        message: `${whose} budget of 1 points per day (UTC) does not cover the call, which may cost up to 0.100000000000000001 points: 0.1 are left, 0.7 are spent and 0.2 are held by calls in flight. Try again when they have ended. It resets at 2026-11-22T00:00:00.000Z. An owner or admin of the organization can raise it.`,
      });
      expect(await meters.admit(hold("1.5", budgets))).toMatchObject({
        error,
        message: expect.stringContaining(
          `${whose} whole budget of 1 points per day (UTC) is less than the call may cost`,
        ),
      });
      expect(await itemOf(first.meter)).toEqual(before);
      await admit(meters, hold("0.1", budgets));
      expect(await meters.admit(hold("0.1", budgets, { at: noon + day }))).toMatchObject({ admitted: true });
    },
  );

  test("a call counts on every level, and its end gives back exactly that", async () => {
    const hold = spenderOf(mode, await open(mode));
    const [charging, failing] = [hold("0.4", all), hold("0.3", all)];
    const own = { limits: budgetOf("5", "month") };
    for (const each of [charging, failing]) await admit(meters, { ...each, ...own });
    const both = { "O:bd20778": "0 0.7", "P:bd20778": "0 0.7", "M:bd20778": "0 0.7", "C:bd20778": "0 0.7" };
    expect(await usesOf(charging.meter)).toMatchObject(both);
    expect(Object.keys(await usesOf(charging.meter))).toHaveLength(5);
    await meters.settle(ticketOf({ ...charging, ...own }), charged(mode, "0.25"));
    await meters.settle(ticketOf({ ...failing, ...own }), settlement({ giveBack: true }));
    const left = Object.values(await usesOf(charging.meter));
    expect(left).toEqual(Array(5).fill("0.25 0"));
  });

  test("the tightest of several that refuse is named", async () => {
    const hold = spenderOf(mode, await open(mode));
    const budgets = [row("organization", "3"), row("project", "2"), row("member", "9")];
    await admit(meters, hold("1.5", budgets));
    expect(await meters.admit(hold("1.9", budgets))).toMatchObject({
      error,
      message: expect.stringMatching(/^The project's budget of 2 points/),
      lack: { free: parsePoints("0.5") },
    });
  });

  test("another project, member or customer has what it has", async () => {
    const meter = await open(mode);
    const hold = spenderOf(mode, meter);
    const budgets = [row("project", "1"), row("member", "1"), row("customer", "1")];
    await admit(meters, hold("1", budgets));
    const other = { project: "else", created_by: newId("user", noon) };
    const bounds = boundsOf({ budgets }, { key: other, user: "bob" });
    expect(bounds.map(({ level }) => level)).toEqual(["customer"]);
    expect(await meters.admit({ ...hold("1", []), bounds })).toMatchObject({ admitted: true });
    expect(await meters.admit({ ...hold("0.1", []), bounds })).toMatchObject({ error });
    expect(await meters.admit(hold("0.1", budgets))).toMatchObject({ error });
  });

  test("five budgets take no write more than none", async () => {
    const meter = await open(mode);
    const counted = counting(db.aws);
    const store = createMeters(counted.aws, db.tables);
    const hold = spenderOf(mode, meter);
    const writes: (readonly [string, number])[][] = [];
    for (const budgets of [[], [], all]) {
      counted.units.clear();
      const each = {
        ...hold("0.1", budgets),
        limits: budgets === all ? budgetOf("5") : { max_concurrency: 9 },
      };
      await admit(store, each);
      await store.settle(ticketOf(each), charged(mode, "0.1"));
      writes.push([...counted.units]);
    }
    expect(writes[2]).toEqual(writes[1]);
  });
});

describe("whose call it is", () => {
  test("a key without project, person and customer is the organization's alone", () => {
    const bounds = boundsOf({ budgets: all }, { key: { project: "" }, user: null });
    expect(bounds.map(({ level }) => level)).toEqual(["organization"]);
    expect(boundsOf({ budgets: all }, { key: { project: "" }, user: "" })).toHaveLength(1);
  });

  test("a key that a member's key made counts as the member's", () => {
    const budgets = [row("member", "1")];
    expect(boundsOf({ budgets }, { key: { project: "", root: member }, user: null })).toHaveLength(1);
  });

  test("names such as __proto__ are names", () => {
    const budgets = ["__proto__", "constructor"].map((id) => row("project", "1", { id }));
    for (const { id } of budgets)
      expect(boundsOf({ budgets }, { key: { project: id }, user: "__proto__" })).toHaveLength(1);
    expect(boundsOf({ budgets }, { key: { project: "search" }, user: null })).toEqual([]);
  });

  test("an organization without budgets costs a call nothing, and its keys stay where they were", () => {
    expect(boundsOf({}, { key, user: "ann" })).toEqual([]);
    expect(boundingOf({}, key, 0)).toEqual({ isBounded: false, isFirst: false });
    expect(heldBy(walletHold("mtr_1", "1"))).not.toHaveProperty("budgets");
  });

  test("a key that must be counted in one place stays on the first shard, which has the budgets", () => {
    const capped = { id: newId("key", noon), limits: { max_concurrency: 3 } };
    expect(homeOf(capped, 0)).toBe(capped.id);
    const bounding = boundingOf({ budgets: [row("customer", "1")] }, { project: "" }, 0);
    expect(homeOf(capped, 0, bounding)).toBe(0);
    expect(homeOf({ ...capped, limits: null }, 0, bounding)).toBeNull();
  });
});

describe("end customers", () => {
  const budgets = [row("customer", "1")];

  test("have places in a period, and one too many is told when there will be room", async () => {
    const meter = await openWallet(db, "1000");
    const hold = spenderOf("payg", meter);
    const users = Array.from({ length: limits.customersMax }, (_, at) => `user ${at}`);
    for (const user of users) await admit(meters, hold("0.1", budgets, { user }));
    const before = await itemOf(meter);
    expect(await meters.admit(hold("0.1", budgets, { user: "one more" }))).toMatchObject({
      error: "rate_limited",
      message: expect.stringMatching(/^The budgets of 100 end customers are counted at once/),
      retryAfterSeconds: 60,
    });
    expect(await itemOf(meter)).toEqual(before);
    for (const user of ["user 0", null])
      expect(await meters.admit(hold("0.1", budgets, { user }))).toMatchObject({ admitted: true });
    const next = hold("0.1", budgets, { user: "one more", at: noon + day });
    expect(await meters.admit(next)).toMatchObject({ admitted: true });
  });

  test("find no place by another shard either", async () => {
    const meter = await openWallet(db, "1000");
    // Three shards are tried, so most calls do not come to the first one by themselves.
    for (let shard = 1; shard < 12; shard++) await meters.open(meter, shard, "payg");
    await db.aws("dynamodb", "UpdateItem", {
      TableName: db.tables.counters,
      Key: meterKey(meter, 0),
      UpdateExpression: "SET opened = :all",
      ExpressionAttributeValues: { ":all": { N: "12" } },
    });
    const hold = spenderOf("payg", meter);
    for (let at = 0; at < limits.customersMax; at++)
      await admit(meters, hold("0.001", budgets, { user: `user ${at}` }));
    for (let tries = 0; tries < 8; tries++) {
      const one = hold("0.001", budgets, { user: `more ${tries}` });
      const choice = { shards: 12, home: null };
      const { admission } = await take(
        one,
        intentOf(one),
        { choice },
        { meters, rushes: { note: () => {} } },
      );
      expect(admission).toMatchObject({
        error: "rate_limited",
        message: expect.stringContaining("100 end customers"),
      });
    }
    const counters = Object.keys(await itemOf(meter)).filter((name) => name.startsWith("C"));
    expect(counters).toHaveLength(limits.customersMax);
  });
});

describe("the size of it", () => {
  const big = (points: string) => {
    const hold = spenderOf("payg", newId("meter", noon))(
      points,
      all.map((each) => ({ ...each, period: "month" as const })),
    );
    return { ...hold, limits: budgetOf("5", "month") };
  };

  test("counters of five levels and their hold are as the README says", () => {
    const hold = big("0.000123");
    const counters =
      heldBy(hold).budgets?.map(({ counter }) => [counter, { N: "1".repeat(20) }] as const) ?? [];
    expect(bytesOf(Object.fromEntries(counters))).toBe(141);
    const bytes = (of: Hold) => bytesOf({ [names.hold(of.request)]: writeHeld(heldBy(of)) });
    expect([bytes(hold), bytes({ ...hold, bounds: [] }), bytes(walletHold("mtr_1", "0.000123"))]).toEqual([
      134, 64, 30,
    ]);
  });

  test("ten calls of five levels in one write stay within what DynamoDB takes of an expression", () => {
    const holds = Array.from({ length: 10 }, (_, at) => {
      const own = { project: `p${at}`, created_by: newId("user", noon) };
      const budgets = [
        row("organization", "10000"),
        row("project", "10000", { id: own.project }),
        row("member", "10000", { id: own.created_by }),
      ];
      const bounds = boundsOf({ budgets }, { key: own, user: null });
      return { ...walletHold("mtr_1", "1"), limits: budgetOf("100000000", "month"), bounds };
    });
    const { UpdateExpression = "", ConditionExpression = "" } = updateInput(
      admissionChange("counters", holds),
    );
    expect(Math.max(UpdateExpression.length, ConditionExpression.length)).toBeLessThan(4_096);
    const operators = ConditionExpression.match(/attribute_|AND|OR|[<>]=|=/g) ?? [];
    expect(operators.length).toBeLessThan(300);
  });
});
