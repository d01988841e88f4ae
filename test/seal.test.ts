/** Days and months behind their seal on the embedded DynamoDB: always the sums of their entries, whoever interferes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { spanEnd, spanOf, unitOf } from "#shared/billing/period.ts";
import { formatPoints } from "#shared/billing/points.ts";
import { noUsage } from "#shared/billing/usage.ts";
import type { UsageEvent } from "#shared/billing/usage-event.ts";
import type { Aws } from "#shared/platform/aws.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { rollupKey } from "#shared/store/table.ts";
import { type Books, bruteForce, eventAt, expectReport, openBooks, rollupGaps } from "./support/books.ts";
import { startDynamoDb, type TestDynamoDb } from "./support/dynamodb.ts";
import { counting } from "./support/store.ts";

const at = (text: string) => Date.parse(text);
const hour = 3_600_000;
const model = "acme/Sonic-1-5";

let db: TestDynamoDb;
let books: Books;
beforeAll(async () => {
  db = await startDynamoDb();
});
afterAll(() => db.stop());
beforeEach(async () => {
  books = await openBooks(db, ["alpha"], at("2026-01-01T00:00:00Z"));
});

const eventOn = (text: string, change: Partial<UsageEvent> = {}) =>
  eventAt(books.organization, at(text), { project: "alpha", ...change });

/** Posts an event within its day. */
const postOn = async (text: string, change: Partial<UsageEvent> = {}) =>
  await books.post([eventOn(text, change)], at(text));

/** What the rollups of a span say was charged, in the organization and in the project. */
async function costOf(span: string, of = model): Promise<(string | undefined)[]> {
  const end = spanOf(spanEnd(span), unitOf(span));
  const found = await Promise.all(
    ["", "alpha"].map((project) => books.ledger.rollups(books.organization, project, span, end)),
  );
  return found.map((rollups) => {
    const sums = rollups.find((rollup) => rollup.model === of)?.sums;
    return sums && formatPoints(sums.cost_points);
  });
}

const sealOf = (project = "") => books.ledger.seal(books.organization, project);

/** Reports of ranges that use hours, days and months of the spring, and less, all equal to their events. */
async function expectReports(): Promise<void> {
  for (const project of ["", "alpha"]) {
    for (const [from, to] of [
      ["2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z"],
      ["2026-03-10T05:30:00.001Z", "2026-04-02T21:59:59.999Z"],
      ["2026-03-31T01:00:00Z", "2026-03-31T23:00:00Z"],
      ["2026-03-31T09:15:00Z", "2026-03-31T09:45:00Z"],
    ] as const) {
      await expectReport(books, project, at(from), at(to));
    }
  }
}

/** A client that lets `first` happen before the first transaction on this test's books that writes `sort`. */
function interrupted(sort: string, first: () => Promise<unknown>): Aws {
  let done = false;
  return async (service, action, input) => {
    const text = action === "TransactWriteItems" ? JSON.stringify(input) : "";
    if (!done && text.includes(books.organization) && text.includes(`"${sort}`)) {
      done = true;
      await first();
    }
    return db.aws(service, action, input);
  };
}

describe("the sealer", () => {
  test("seals a day when it is over for two hours, and a month with its last day", async () => {
    await postOn("2026-03-30T09:00:00Z");
    await postOn("2026-03-31T09:30:00Z");
    await postOn("2026-03-31T23:59:59.999Z");
    await books.seal(at("2026-04-01T01:59:59Z"));
    expect(await sealOf()).toEqual({ day: "2026-03-30", month: "2026-02", late: 0 });
    expect([await costOf("2026-03-30"), await costOf("2026-03-31")]).toEqual([
      ["0.5", "0.5"],
      [undefined, undefined],
    ]);
    await expectReports();
    await books.seal(at("2026-04-01T02:00:00Z"));
    expect(await sealOf("alpha")).toEqual({ day: "2026-03-31", month: "2026-03", late: 0 });
    expect([await costOf("2026-03-31"), await costOf("2026-03")]).toEqual([
      ["1", "1"],
      ["1.5", "1.5"],
    ]);
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
  });

  test("moves the seal of who was quiet, and does nothing the second time", async () => {
    await books.seal(at("2026-04-01T02:00:00Z"));
    expect(await sealOf("alpha")).toEqual({ day: "2026-03-31", month: "2026-03", late: 0 });
    const { aws, units } = counting(db.aws);
    await books.seal(at("2026-04-02T01:00:00Z"), aws);
    expect(units.has("TransactWriteItems")).toBe(false);
  });

  test("takes years of hours at its first run, with more models in a day than a transaction has room", async () => {
    const models = Array.from({ length: 230 }, (_, i) => `acme/m${i}`);
    await books.post(
      models.map((each) => eventOn("2026-03-31T09:30:00Z", { model: each })),
      at("2026-03-31T10:00:00Z"),
    );
    await postOn("2024-02-29T23:30:00Z");
    await books.seal(at("2026-04-01T02:00:00Z"));
    expect(await sealOf()).toMatchObject({ day: "2026-03-31", month: "2026-03" });
    expect([await costOf("2024-02"), await costOf("2026-03-31", "acme/m229")]).toEqual([
      ["0.5", "0.5"],
      ["0.5", "0.5"],
    ]);
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
  });

  test("goes on where a pass died between its transactions, whatever came in between", async () => {
    const models = Array.from({ length: 120 }, (_, i) => `acme/m${i}`);
    const events = models.map((each) => eventOn("2026-03-31T09:30:00Z", { model: each }));
    await books.post(events, at("2026-03-31T10:00:00Z"));
    let transactions = 0;
    const dying: Aws = async (service, action, input) => {
      const full = (input as { TransactItems?: unknown[] }).TransactItems?.length === 100;
      if (transactions > 0 && action === "TransactWriteItems") throw new Error("killed");
      if (full) transactions += 1;
      return db.aws(service, action, input);
    };
    await expect(books.seal(at("2026-04-01T02:00:00Z"), dying)).resolves.toMatchObject({ failed: 2 });
    expect(transactions).toBe(1);
    expect(await sealOf()).toMatchObject({ day: "" });
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
    await books.post([eventOn("2026-03-31T09:31:00Z", { model: "acme/m0" })], at("2026-04-01T02:01:00Z"));
    await books.seal(at("2026-04-01T02:10:00Z"));
    expect(await costOf("2026-03-31", "acme/m0")).toEqual(["1", "1"]);
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
  });

  test("may run eight times at once", async () => {
    for (const day of ["2026-02-27", "2026-03-01", "2026-03-31"]) await postOn(`${day}T09:30:00Z`);
    const passes = Array.from({ length: 8 }, () => books.seal(at("2026-04-01T02:00:00Z")));
    for (const { failed } of await Promise.all(passes)) expect(failed).toBe(0);
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
  });
});

describe("an event that comes after its day", () => {
  const sealed = at("2026-04-01T02:00:00Z");

  test("adds to hour, day and month when they are sealed, and so does its correction", async () => {
    await postOn("2026-03-31T09:30:00Z");
    await books.seal(sealed);
    const late = eventOn("2026-03-31T23:30:00Z");
    const usage = { ...noUsage, input_tokens: 1 };
    await books.post([{ ...late, usage, cost_points: "0.1", source: "sweeper" }], sealed + hour);
    for (const span of ["2026-03-31", "2026-03"]) expect(await costOf(span)).toEqual(["0.6", "0.6"]);
    await expectReports();
    await books.post([late], sealed + 2 * hour);
    for (const span of ["2026-03-31", "2026-03"]) expect(await costOf(span)).toEqual(["1", "1"]);
    await expectReports();
    expect(await sealOf()).toMatchObject({ late: 2 });
    expect(await rollupGaps(db)).toEqual([]);
  });

  test("adds to its hour alone when its day is not sealed, and to its day when its month is not", async () => {
    await books.post([eventOn("2026-03-30T09:30:00Z")], at("2026-03-31T00:00:00Z"));
    expect(await costOf("2026-03-30")).toEqual([undefined, undefined]);
    expect(await sealOf()).toEqual({ day: "", month: "", late: 1 });
    await books.seal(at("2026-03-31T02:00:00Z"));
    await books.post([eventOn("2026-03-30T09:31:00Z")], at("2026-03-31T02:01:00Z"));
    expect([await costOf("2026-03-30"), await costOf("2026-03")]).toEqual([
      ["1", "1"],
      [undefined, undefined],
    ]);
    await books.seal(sealed);
    expect(await costOf("2026-03")).toEqual(["1", "1"]);
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
  });

  test.each(["D#2026-03-31", "M#2026-03"])(
    "between what the sealer reads and its writing %s is in both",
    async (sort) => {
      await postOn("2026-03-31T09:30:00Z");
      const late = () => books.post([eventOn("2026-03-31T09:31:00Z")], at("2026-04-01T00:00:00Z"));
      await books.seal(sealed, interrupted(sort, late));
      expect(await sealOf("alpha")).toMatchObject({ day: "2026-03-31", late: 1 });
      for (const span of ["2026-03-31", "2026-03"]) expect(await costOf(span)).toEqual(["1", "1"]);
      await expectReports();
      expect(await rollupGaps(db)).toEqual([]);
    },
  );

  test("reads the seal again when the sealer comes between its reading and its writing", async () => {
    await postOn("2026-03-31T09:30:00Z");
    const seal = () => books.seal(sealed);
    const late = eventOn("2026-03-31T09:31:00Z");
    await books.post([late], sealed, interrupted("H#2026-03-31", seal));
    expect([await costOf("2026-03-31"), await costOf("2026-03")]).toEqual([
      ["1", "1"],
      ["1", "1"],
    ]);
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
  });

  test("does not mislead a report that takes hours from a day it is just posted to", async () => {
    await postOn("2026-03-31T09:30:00Z");
    await books.seal(sealed);
    const late = eventOn("2026-03-31T23:30:00Z");
    let queries = 0;
    const slow: Aws = async (service, action, input) => {
      const { ":first": first } =
        (input as { ExpressionAttributeValues?: Record<string, { S?: string }> }).ExpressionAttributeValues ??
        {};
      // The day is read before, the hours to be taken away from it after the event is there.
      if (first?.S?.startsWith("H#") && queries++ === 0) await books.post([late], sealed + hour);
      else if (first?.S?.startsWith("H#")) await new Promise((done) => setTimeout(done, 50));
      return db.aws(service, action, input);
    };
    const ledger = createLedger(slow, db.tables);
    const [from, to] = [at("2026-03-31T01:00:00Z"), at("2026-03-31T23:00:00Z")];
    await expectReport(books, "", from, to, ledger);
    expect(queries).toBeGreaterThan(1);
    expect(bruteForce(books, "", from, to).get(model)?.calls).toBe(1);
  });
});

describe("what a posting costs", () => {
  test("in its day it reads nothing and writes an entry and two rollups: six units", async () => {
    await books.seal(at("2026-03-31T02:00:00Z"));
    const { aws, units } = counting(db.aws);
    await books.post([eventOn("2026-03-31T09:30:00Z")], at("2026-03-31T23:59:59.999Z"), aws);
    expect(units).toEqual(new Map([["TransactWriteItems", 6]]));
    expect(await sealOf()).toMatchObject({ late: 0 });
  });

  test("in batches a late one stays within a transaction's 100 actions", async () => {
    const [day, now] = ["2026-03-31T09:30:00Z", at("2026-04-02T00:00:00Z")];
    await books.seal(at("2026-04-01T02:00:00Z"));
    const events = Array.from({ length: 120 }, (_, i) =>
      eventOn(day, { model: `acme/m${i % 40}`, project: i % 2 ? "alpha" : "" }),
    );
    const sizes: number[] = [];
    const sizing: Aws = (service, action, input) => {
      const { TransactItems: actions } = input as { TransactItems?: unknown[] };
      if (actions) sizes.push(actions.length);
      return db.aws(service, action, input);
    };
    await books.post(events, now, sizing);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.length).toBeLessThan(20);
    await expectReports();
    expect(await rollupGaps(db)).toEqual([]);
  });
});

describe("the audit", () => {
  test.each([
    ["days_match_hours", "2026-03-31", "0.1"],
    ["months_match_days", "2026-03", "0.1"],
  ])("finds a doctored rollup by %s", async (invariant, span, excess) => {
    await postOn("2026-03-31T09:30:00Z");
    await books.seal(at("2026-04-01T02:00:00Z"));
    const doctor = (points: bigint) =>
      db.aws("dynamodb", "UpdateItem", {
        TableName: db.tables.ledger,
        Key: rollupKey(books.organization, "alpha", span, model),
        UpdateExpression: "ADD cost :points",
        ExpressionAttributeValues: { ":points": { N: String(points) } },
      });
    await doctor(10n ** 17n);
    const gaps = await rollupGaps(db);
    expect(gaps).toContainEqual(
      `${invariant}: ${books.organization} alpha ${span} ${model} differs from its ${
        span.length === 7 ? "days" : "hours"
      } by cost_points ${excess}`,
    );
    await doctor(-(10n ** 17n));
  });
});
