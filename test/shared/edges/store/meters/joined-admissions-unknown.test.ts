/** Admissions that were joined, and whose answers are lost: nothing is held twice, or after its end. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AwsError } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import type { Ticket } from "#shared/books/meters/hold.ts";
import {
  type Fate,
  holds,
  JoinedAdmissions,
  outcomes,
  point,
  ticketsOf,
} from "#test/support/joined-admissions.ts";
import { intentOf } from "#test/support/store.ts";

let on: JoinedAdmissions;

beforeEach(async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  on = new JoinedAdmissions();
  await on.open();
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("where nobody knows whether a joined admission was made", () => {
  test("and it was, a repetition finds the holds, and each call goes on", async () => {
    on.fates = ["answer lost"];
    const tickets = ticketsOf(await on.admitAll(holds(3)));
    expect(tickets.map(({ outcomeUnknown }) => outcomeUnknown)).toEqual([true, true, true]);
    expect(await on.meter()).toEqual({ avail: 7n * point, holds: 3 });
  });

  test("and a repetition is made, the first try that comes after the end of the calls takes nothing", async () => {
    on.fates = ["arrives later"];
    const tickets = ticketsOf(await on.admitAll(holds(3)));
    expect(tickets.map(({ outcomeUnknown }) => outcomeUnknown)).toEqual([true, true, true]);
    await on.settleEach(tickets);
    on.arriveLate();
    expect(await on.meter()).toEqual({ avail: 10n * point - (3n * point) / 10n, holds: 0 });
  });

  test("and a repetition finds too few points, neither who is admitted alone nor who is refused is held later", async () => {
    const [taken] = ticketsOf(await on.admitAll(holds(1, "7"))) as [Ticket];
    on.fates = ["arrives later"];
    const admissions = await on.admitAll(holds(2, "2"));
    expect(outcomes(admissions).sort()).toEqual(["admitted", "insufficient_balance"]);
    const [admitted] = ticketsOf(admissions) as [Ticket];
    expect(admitted.outcomeUnknown).toBe(true);
    await on.settleEach([taken, admitted]);
    on.arriveLate();
    expect(await on.meter()).toMatchObject({ holds: 0 });
  });

  test("and all are refused in the end, none is held by what arrives late", async () => {
    const [taken] = ticketsOf(await on.admitAll(holds(1, "9"))) as [Ticket];
    on.fates = ["arrives later"];
    const admissions = await on.admitAll(holds(2, "2"));
    expect(outcomes(admissions)).toEqual(["insufficient_balance", "insufficient_balance"]);
    await on.settleEach([taken]);
    on.arriveLate();
    expect(await on.meter()).toMatchObject({ holds: 0 });
  });

  test.each<Fate>(["answer lost", "arrives later"])(
    "(%s) and the store is too busy for a repetition, all are given up",
    async (fate) => {
      const wanted = holds(2);
      const intending = wanted.map((hold) => on.meters.intend(intentOf(hold)));
      on.endTick();
      await Promise.all(intending);
      on.fates = [fate, "throttled", "throttled", "throttled"];
      const admissions = await on.admitAll(wanted);
      expect(outcomes(admissions)).toEqual(["global_rate_limited", "global_rate_limited"]);
      expect(on.sizes()).toEqual([2, 2, 2, 2]);
      for (const act of on.late) expect(act).toThrow(AwsError);
      expect(await on.meter()).toEqual({ avail: 10n * point, holds: 0 });
    },
  );

  test("and it never answers, each fails with the same error and holds nothing", async () => {
    on.fates = Array<Fate>(4).fill("arrives later");
    const admitting = holds(2).map((hold) => on.meters.admit(hold));
    on.endTick();
    const settled = await Promise.allSettled(admitting);
    expect(settled.map((each) => each.status === "rejected" && each.reason)).toEqual(
      Array(2).fill(expect.any(TransportError)),
    );
    on.arriveLate();
    expect(await on.meter()).toEqual({ avail: 10n * point, holds: 0 });
  });
});

test("a store that is too busy refuses all of them after the tries of one write", async () => {
  on.fates = Array<Fate>(4).fill("throttled");
  const admissions = await on.admitAll(holds(3));
  expect(admissions).toEqual(
    Array(3).fill(expect.objectContaining({ error: "global_rate_limited", tryOtherShard: true })),
  );
  expect(on.sizes()).toEqual([3, 3, 3, 3]);
});
