/** Days and months behind their seal on the embedded DynamoDB: always the sums of their entries, whoever interferes. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { rollupKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { rollupGaps } from "#test/support/books.ts";
import { at, model, useBooks } from "#test/support/spring.ts";
import { counting } from "#test/support/store.ts";

const scenario = useBooks();

describe("the sealer", () => {
  test("seals a day when it is over for two hours, and a month with its last day", async () => {
    await scenario.postOn("2026-03-30T09:00:00Z");
    await scenario.postOn("2026-03-31T09:30:00Z");
    await scenario.postOn("2026-03-31T23:59:59.999Z");
    await scenario.books.seal(at("2026-04-01T01:59:59Z"));
    expect(await scenario.sealOf()).toEqual({ day: "2026-03-30", month: "2026-02", late: 0 });
    expect([await scenario.costOf("2026-03-30"), await scenario.costOf("2026-03-31")]).toEqual([
      ["0.5", "0.5"],
      [undefined, undefined],
    ]);
    await scenario.expectReports();
    await scenario.books.seal(at("2026-04-01T02:00:00Z"));
    expect(await scenario.sealOf("alpha")).toEqual({ day: "2026-03-31", month: "2026-03", late: 0 });
    expect([await scenario.costOf("2026-03-31"), await scenario.costOf("2026-03")]).toEqual([
      ["1", "1"],
      ["1.5", "1.5"],
    ]);
    await scenario.expectReports();
    expect(await rollupGaps(scenario.db)).toEqual([]);
  });

  test("moves the seal of who was quiet, and does nothing the second time", async () => {
    await scenario.books.seal(at("2026-04-01T02:00:00Z"));
    expect(await scenario.sealOf("alpha")).toEqual({ day: "2026-03-31", month: "2026-03", late: 0 });
    const { aws, units } = counting(scenario.db.aws);
    await scenario.books.seal(at("2026-04-02T01:00:00Z"), aws);
    expect(units.has("TransactWriteItems")).toBe(false);
  });

  test("takes years of hours at its first run, with more models in a day than a transaction has room", async () => {
    const models = Array.from({ length: 230 }, (_, i) => `acme/m${i}`);
    await scenario.books.post(
      models.map((each) => scenario.eventOn("2026-03-31T09:30:00Z", { model: each })),
      at("2026-03-31T10:00:00Z"),
    );
    await scenario.postOn("2024-02-29T23:30:00Z");
    await scenario.books.seal(at("2026-04-01T02:00:00Z"));
    expect(await scenario.sealOf()).toMatchObject({ day: "2026-03-31", month: "2026-03" });
    expect([await scenario.costOf("2024-02"), await scenario.costOf("2026-03-31", "acme/m229")]).toEqual([
      ["0.5", "0.5"],
      ["0.5", "0.5"],
    ]);
    await scenario.expectReports();
    expect(await rollupGaps(scenario.db)).toEqual([]);
  });

  test("goes on where a pass died between its transactions, whatever came in between", async () => {
    const models = Array.from({ length: 120 }, (_, i) => `acme/m${i}`);
    const events = models.map((each) => scenario.eventOn("2026-03-31T09:30:00Z", { model: each }));
    await scenario.books.post(events, at("2026-03-31T10:00:00Z"));
    let transactions = 0;
    const dying: Aws = async (service, action, input) => {
      const full = (input as { TransactItems?: unknown[] }).TransactItems?.length === 100;
      if (transactions > 0 && action === "TransactWriteItems") throw new Error("killed");
      if (full) transactions += 1;
      return scenario.db.aws(service, action, input);
    };
    await expect(scenario.books.seal(at("2026-04-01T02:00:00Z"), dying)).resolves.toMatchObject({
      failed: 2,
    });
    expect(transactions).toBe(1);
    expect(await scenario.sealOf()).toMatchObject({ day: "" });
    await scenario.expectReports();
    expect(await rollupGaps(scenario.db)).toEqual([]);
    await scenario.books.post(
      [scenario.eventOn("2026-03-31T09:31:00Z", { model: "acme/m0" })],
      at("2026-04-01T02:01:00Z"),
    );
    await scenario.books.seal(at("2026-04-01T02:10:00Z"));
    expect(await scenario.costOf("2026-03-31", "acme/m0")).toEqual(["1", "1"]);
    await scenario.expectReports();
    expect(await rollupGaps(scenario.db)).toEqual([]);
  });

  test("may run eight times at once", async () => {
    for (const day of ["2026-02-27", "2026-03-01", "2026-03-31"]) await scenario.postOn(`${day}T09:30:00Z`);
    const passes = Array.from({ length: 8 }, () => scenario.books.seal(at("2026-04-01T02:00:00Z")));
    for (const { failed } of await Promise.all(passes)) expect(failed).toBe(0);
    await scenario.expectReports();
    expect(await rollupGaps(scenario.db)).toEqual([]);
  });
});

describe("the audit", () => {
  test.each([
    ["days_match_hours", "2026-03-31", "0.1"],
    ["months_match_days", "2026-03", "0.1"],
  ])("finds a doctored rollup by %s", async (invariant, span, excess) => {
    const key = newId("key", 0);
    const share = { model, key, owner: "alpha" };
    await scenario.postOn("2026-03-31T09:30:00Z", { key });
    await scenario.books.seal(at("2026-04-01T02:00:00Z"));
    const doctor = (points: bigint) =>
      scenario.db.aws("dynamodb", "UpdateItem", {
        TableName: scenario.db.tables.ledger,
        Key: rollupKey({ organization: scenario.books.organization, project: "alpha" }, span, share),
        UpdateExpression: "ADD cost :points",
        ExpressionAttributeValues: { ":points": { N: String(points) } },
      });
    await doctor(10n ** 17n);
    const gaps = await rollupGaps(scenario.db);
    expect(gaps).toContainEqual(
      `${invariant}: ${scenario.books.organization} alpha ${span} ${model} ${key} differs from its ${
        span.length === 7 ? "days" : "hours"
      } by cost_points (cost) ${excess}`,
    );
    await doctor(-(10n ** 17n));
  });
});
