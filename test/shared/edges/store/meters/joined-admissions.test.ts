/** Admissions of one moment: which are joined, and that joined ones admit what single ones would. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Hold, type Ticket, ticketOf } from "#shared/books/meters/hold.ts";
import { updateInput } from "#shared/edges/store/dynamodb/expressions.ts";
import { admissionChange } from "#shared/edges/store/meters/admission-writes.ts";
import { holds, JoinedAdmissions, outcomes, point, ticketsOf } from "#test/support/joined-admissions.ts";
import { looking, noon, planHold, planLimits, walletHold } from "#test/support/store.ts";

let on: JoinedAdmissions;

beforeEach(async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  on = new JoinedAdmissions();
  await on.open();
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("which admissions are joined", () => {
  test("those of one tick on one item are one write", async () => {
    expect(outcomes(await on.admitAll(holds(3)))).toEqual(["admitted", "admitted", "admitted"]);
    expect(on.sizes()).toEqual([3]);
    expect(await on.meter()).toEqual({ avail: 7n * point, holds: 3 });
  });

  test("one alone is the write that it was without the others", async () => {
    await on.admitAll(holds(1));
    expect(on.writes[0]).toMatchObject({
      UpdateExpression: "SET #0 = :0, #1 = :1, #2 = :2 ADD #3 :3",
      ConditionExpression: expect.stringMatching(/^attribute_exists\(#4\) AND .* AND #3 >= :4$/),
    });
    expect(on.writes[0]?.ConditionExpression.match(/attribute_not_exists/g)).toHaveLength(6);
  });

  test("other on.meters and other shards have on.writes of their own", async () => {
    await on.meters.openShard("mtr_1", 1, 2);
    await on.meters.useShard("mtr_1", 1, new Map());
    const shard = holds(2, "0").map((hold) => ({ ...hold, shard: 1 }));
    const admissions = await on.admitAll([...holds(2), ...holds(3, "1", "mtr_2"), ...shard]);
    expect(outcomes(admissions)).toEqual(Array(7).fill("admitted"));
    expect(on.sizes().sort()).toEqual([2, 2, 3]);
  });

  test("one write admits ten at most", async () => {
    expect(outcomes(await on.admitAll(holds(23, "0.1")))).toEqual(Array(23).fill("admitted"));
    expect(on.sizes()).toEqual([10, 10, 3]);
  });

  test("a call that is admitted twice in one tick is held once", async () => {
    const [one, other] = holds(2) as [Hold, Hold];
    expect(outcomes(await on.admitAll([one, other, one]))).toEqual(["admitted", "admitted", "admitted"]);
    expect(await on.meter()).toEqual({ avail: 8n * point, holds: 2 });
  });

  test.each<[string, () => Hold]>([
    ["on a subscription", () => planHold("mtr_plan", planLimits({ rpm: 60 }))],
    [
      "with a cap on calls in flight",
      () => ({ ...walletHold("mtr_1", "1"), limits: { max_concurrency: 9 } }),
    ],
  ])("a call %s goes by itself, and at once", async (_name, hold) => {
    const admitting = [hold(), hold()].map((each) => on.meters.admit(each));
    expect(on.ticks).toHaveLength(0);
    expect(outcomes(await Promise.all(admitting))).toEqual(["admitted", "admitted"]);
    expect(on.sizes()).toEqual([1, 1]);
  });

  test("ten calls of ten keys with budgets stay within what DynamoDB takes of an expression", () => {
    const limits = { budget_points: "100000000", budget_period: "month" } as const;
    const input = updateInput(
      admissionChange(
        "counters",
        holds(10).map((hold) => ({ ...hold, limits })),
      ),
    );
    const { UpdateExpression = "", ConditionExpression = "" } = input;
    expect(Math.max(UpdateExpression.length, ConditionExpression.length)).toBeLessThan(2_048);
    // DynamoDB takes 4 KB, and 300 operators and functions (aws.md §5).
    const operators = ConditionExpression.match(/attribute_|AND|OR|[<>]=|=/g) ?? [];
    expect(operators.length).toBeLessThan(150);
  });
});

describe("where one of them cannot be admitted, each is asked for by itself", () => {
  test("so that a wallet's last points go to as many calls as they suffice for", async () => {
    const admissions = await on.admitAll(holds(4, "3"));
    expect(outcomes(admissions).sort()).toEqual(["admitted", "admitted", "admitted", "insufficient_balance"]);
    expect(admissions.find(({ admitted }) => !admitted)).toMatchObject({
      lack: { free: point, posted: 10n * point },
    });
    expect(on.sizes()).toEqual([4, 1, 1, 1, 1]);
    expect(await on.meter()).toEqual({ avail: point, holds: 3 });
  });

  test("and a large call does not keep a small one out", async () => {
    const wanted = [...holds(1, "11"), ...holds(1, "2")];
    expect(outcomes(await on.admitAll(wanted))).toEqual(["insufficient_balance", "admitted"]);
  });

  test("and calls of one key together do not exceed its budget", async () => {
    const key = { ...holds(1)[0], limits: { budget_points: "2.5", budget_period: "day" } } as Hold;
    const wanted = holds(4).map(({ request }) => ({ ...key, request }));
    const admissions = await on.admitAll(wanted);
    expect(outcomes(admissions).filter((each) => each === "admitted")).toHaveLength(2);
    expect(admissions.find(({ admitted }) => !admitted)).toMatchObject({ message: /budget/ });
    expect(await on.meter()).toEqual({ avail: 8n * point, holds: 2 });
  });

  test("a lowered budget counts from the first call that knows of it", async () => {
    const [first, second] = holds(2) as [Hold, Hold];
    const own = (points: string) => ({ budget_points: points, budget_period: "day" }) as const;
    const wanted = [
      { ...first, limits: own("1.5") },
      { ...second, key: first.key, limits: own("9") },
    ];
    await on.admitAll(wanted);
    expect(on.sizes()).toEqual([2, 1, 1]);
  });

  test("budgets of several keys in one write are each their own", async () => {
    const limits = { budget_points: "1", budget_period: "total" } as const;
    const admissions = await on.admitAll(holds(3).map((hold) => ({ ...hold, limits })));
    expect(outcomes(admissions)).toEqual(["admitted", "admitted", "admitted"]);
    expect(on.sizes()).toEqual([3]);
    const budgets = await on.meters.budgets("mtr_1");
    expect([...budgets.values()]).toEqual(Array(3).fill({ spent: 0n, held: point }));
  });

  test("a revoked key costs the calls of other keys one write in vain, and no more", async () => {
    const wanted = holds(3) as [Hold, Hold, Hold];
    await on.meters.openShard("mtr_1", 1, 2);
    const revoked = new Map([[wanted[1].key.slice("key_".length), BigInt(noon)]]);
    await on.meters.useShard("mtr_1", 1, revoked);
    const admissions = await on.admitAll(wanted.map((hold) => ({ ...hold, shard: 1, points: 0n })));
    expect(outcomes(admissions)).toEqual(["admitted", "invalid_key", "admitted"]);
    expect(on.sizes()).toEqual([3, 1, 1, 1]);
  });

  test("a shard out of use sends each to the others", async () => {
    await on.meters.openShard("mtr_1", 1, 1);
    const admissions = await on.admitAll(holds(2).map((hold) => ({ ...hold, shard: 1 })));
    expect(admissions).toEqual(
      Array(2).fill(
        expect.objectContaining({ error: "global_rate_limited", tryOtherShard: true, shards: 1 }),
      ),
    );
  });
});

test("what is out of use goes to the call that looks for it, and to no other", async () => {
  const [dead] = holds(1);
  await on.settleEach(
    ticketsOf(await on.admitAll([dead as Hold])).map((each) => ({ ...each, outcomeUnknown: true })),
  );
  const later = holds(3).map((hold, at) => (at === 1 ? looking(hold) : hold));
  const tickets = ticketsOf(await on.admitAll(later));
  expect(on.writes.map(({ ReturnValues }) => ReturnValues)).toEqual([undefined, "ALL_NEW"]);
  expect(tickets.map(({ leftovers }) => leftovers.length)).toEqual([0, 1, 0]);
});

test("a hold that was joined can be raised and given up like any other", async () => {
  const [one, other] = ticketsOf(await on.admitAll(holds(2))) as [Ticket, Ticket];
  expect(await on.meters.extend(one, 3n * point)).toMatchObject({ extended: true });
  expect(await on.meters.abandon(other)).toBe(true);
  expect(await on.meter()).toEqual({ avail: 7n * point, holds: 1 });
  expect(await on.meters.abandon(ticketOf({ ...one.hold, points: 3n * point }))).toBe(true);
  expect(await on.meter()).toEqual({ avail: 10n * point, holds: 0 });
});
