/**
 * Events that come after their day, on the embedded DynamoDB: they reach every sum, whatever the sealer does meanwhile.
 */
import { describe, expect, test } from "vitest";
import { type Aws, AwsError, isOverload } from "#shared/base/platform/aws.ts";
import { bareId } from "#shared/base/platform/id.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { bruteForce, expectReport, rollupGaps } from "#test/support/books.ts";
import { at, hour, model, useBooks } from "#test/support/spring.ts";
import { counting } from "#test/support/store.ts";

const scenario = useBooks();

describe("an event that comes after its day", () => {
  const sealed = at("2026-04-01T02:00:00Z");

  test("adds to hour, day and month when they are sealed, and so does its correction", async () => {
    await scenario.postOn("2026-03-31T09:30:00Z");
    await scenario.books.seal(sealed);
    const late = scenario.eventOn("2026-03-31T23:30:00Z");
    const usage = { ...noUsage, input_tokens: 1 };
    await scenario.books.post([{ ...late, usage, cost_points: "0.1", source: "sweeper" }], sealed + hour);
    for (const span of ["2026-03-31", "2026-03"]) expect(await scenario.costOf(span)).toEqual(["0.6", "0.6"]);
    await scenario.expectReports();
    await scenario.books.post([late], sealed + 2 * hour);
    for (const span of ["2026-03-31", "2026-03"]) expect(await scenario.costOf(span)).toEqual(["1", "1"]);
    await scenario.expectReports();
    expect(await scenario.sealOf()).toMatchObject({ late: 2 });
    expect(await rollupGaps(scenario.db)).toEqual([]);
  });

  test("adds to its hour alone when its day is not sealed, and to its day when its month is not", async () => {
    await scenario.books.post([scenario.eventOn("2026-03-30T09:30:00Z")], at("2026-03-31T00:00:00Z"));
    expect(await scenario.costOf("2026-03-30")).toEqual([undefined, undefined]);
    expect(await scenario.sealOf()).toEqual({ day: "", month: "", late: 1 });
    await scenario.books.seal(at("2026-03-31T02:00:00Z"));
    await scenario.books.post([scenario.eventOn("2026-03-30T09:31:00Z")], at("2026-03-31T02:01:00Z"));
    expect([await scenario.costOf("2026-03-30"), await scenario.costOf("2026-03")]).toEqual([
      ["1", "1"],
      [undefined, undefined],
    ]);
    await scenario.books.seal(sealed);
    expect(await scenario.costOf("2026-03")).toEqual(["1", "1"]);
    await scenario.expectReports();
    expect(await rollupGaps(scenario.db)).toEqual([]);
  });

  test.each(["D#2026-03-31", "M#2026-03"])(
    "between what the sealer reads and its writing %s is in both",
    async (sort) => {
      await scenario.postOn("2026-03-31T09:30:00Z");
      const late = () =>
        scenario.books.post([scenario.eventOn("2026-03-31T09:31:00Z")], at("2026-04-01T00:00:00Z"));
      await scenario.books.seal(sealed, scenario.interrupted(sort, late));
      expect(await scenario.sealOf("alpha")).toMatchObject({ day: "2026-03-31", late: 1 });
      for (const span of ["2026-03-31", "2026-03"]) expect(await scenario.costOf(span)).toEqual(["1", "1"]);
      await scenario.expectReports();
      expect(await rollupGaps(scenario.db)).toEqual([]);
    },
  );

  test.each(["gateway", "sweeper"] as const)(
    "reads the seal again when the sealer comes between its reading and its writing (known from the %s)",
    async (known) => {
      await scenario.postOn("2026-03-31T09:30:00Z");
      const late = scenario.eventOn("2026-03-31T09:31:00Z");
      if (known === "sweeper") {
        await scenario.books.post(
          [{ ...late, cost_points: "7", source: "sweeper" }],
          at("2026-03-31T12:00:00Z"),
        );
      }
      // The first transaction of a correction finds the estimate; the second is the correction.
      const write = known === "sweeper" ? `${bareId(late.id)}#adj` : "H#2026-03-31";
      await scenario.books.post(
        [late],
        sealed,
        scenario.interrupted(write, () => scenario.books.seal(sealed)),
      );
      for (const span of ["2026-03-31", "2026-03"]) expect(await scenario.costOf(span)).toEqual(["1", "1"]);
      await scenario.expectReports();
      expect(await rollupGaps(scenario.db)).toEqual([]);
    },
  );

  test("gives up as it does on contention when the seal never stands still", async () => {
    const late = scenario.eventOn("2026-03-31T09:30:00Z");
    let transactions = 0;
    const moving: Aws = (service, action, input) => {
      if (action !== "TransactWriteItems") return scenario.db.aws(service, action, input);
      transactions += 1;
      const actions = (input as { TransactItems: object[] }).TransactItems;
      const CancellationReasons = actions.map((each) => ({
        Code: JSON.stringify(each).includes('{"S":"S"}') ? "ConditionalCheckFailed" : "None",
      }));
      throw new AwsError("TransactionCanceledException", 400, { CancellationReasons });
    };
    await expect(scenario.books.post([late], sealed, moving)).rejects.toSatisfy(isOverload);
    expect(transactions).toBe(4);
    expect(await scenario.costOf("2026-03-31T09")).toEqual([undefined, undefined]);
  });

  test("does not mislead a report that takes hours from a day it is just posted to", async () => {
    await scenario.postOn("2026-03-31T09:30:00Z");
    await scenario.books.seal(sealed);
    const late = scenario.eventOn("2026-03-31T23:30:00Z");
    const dayRead = Promise.withResolvers<void>();
    let posted: Promise<unknown> | undefined;
    const slow: Aws = async (service, action, input) => {
      const { ":first": first } =
        (input as { ExpressionAttributeValues?: Record<string, { S?: string }> }).ExpressionAttributeValues ??
        {};
      // The day is read before, the hours to be taken away from it after the event is there.
      if (first?.S?.startsWith("H#")) {
        posted ??= dayRead.promise.then(() => scenario.books.post([late], sealed + hour));
        await posted;
      }
      return await scenario.db.aws(service, action, input).finally(() => {
        if (first?.S?.startsWith("D#")) dayRead.resolve();
      });
    };
    const ledger = createLedger(slow, scenario.db.tables);
    const [from, to] = [at("2026-03-31T01:00:00Z"), at("2026-03-31T23:00:00Z")];
    await expectReport(scenario.books, "", from, to, ledger);
    expect(posted).toBeDefined();
    expect(bruteForce(scenario.books, "", from, to).get(model)?.calls).toBe(1);
  });
});

describe("what a posting costs", () => {
  test("in its day it reads nothing and writes an entry and two rollups: six units", async () => {
    await scenario.books.seal(at("2026-03-31T02:00:00Z"));
    const { aws, units } = counting(scenario.db.aws);
    await scenario.books.post(
      [scenario.eventOn("2026-03-31T09:30:00Z")],
      at("2026-03-31T23:59:59.999Z"),
      aws,
    );
    expect(units).toEqual(new Map([["TransactWriteItems", 6]]));
    expect(await scenario.sealOf()).toMatchObject({ late: 0 });
  });

  test("in batches a late one stays within a transaction's 100 actions", async () => {
    const [day, now] = ["2026-03-31T09:30:00Z", at("2026-04-02T00:00:00Z")];
    await scenario.books.seal(at("2026-04-01T02:00:00Z"));
    const events = Array.from({ length: 120 }, (_, i) =>
      scenario.eventOn(day, { model: `acme/m${i % 40}`, project: i % 2 ? "alpha" : "" }),
    );
    const sizes: number[] = [];
    const sizing: Aws = (service, action, input) => {
      const { TransactItems: actions } = input as { TransactItems?: unknown[] };
      if (actions) sizes.push(actions.length);
      return scenario.db.aws(service, action, input);
    };
    await scenario.books.post(events, now, sizing);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.length).toBeLessThan(20);
    await scenario.expectReports();
    expect(await rollupGaps(scenario.db)).toEqual([]);
  });
});
