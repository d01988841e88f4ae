/** Months closed over the embedded DynamoDB: what is checked, what counts, and what is seen to differ later. */
import { describe, expect, test } from "vitest";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import { spanOf } from "#shared/books/billing/period.ts";
import { readSummary, signSummary } from "#shared/books/close/summary.ts";
import { creditEntry } from "#shared/books/ledger/credit.ts";
import { checkClose } from "#shared/edges/operator/close/close.ts";
import { exportMonth, verifyMonth } from "#shared/edges/operator/close/verify.ts";
import { memoryCloses } from "#test/support/closed-months.ts";
import { close, closingAt, pepper } from "#test/support/month-close.ts";
import { at, useBooks } from "#test/support/spring.ts";

const spring = useBooks();

/** Four calls of 0.5 points in March, and two in April; the sums of March are sealed. */
async function calledInMarch(): Promise<void> {
  for (const day of ["03-01", "03-15", "03-31", "04-01", "04-02"])
    await spring.postOn(`2026-${day}T10:00:00Z`);
  await spring.postOn("2026-03-31T23:59:59.999Z");
  await spring.books.seal(at("2026-04-02T12:00:00Z"));
}

const closedOn = "2026-04-03T12:00:00Z";

describe("a month", () => {
  test("is closed with its entries, and is as it was closed later", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn);
    const { closed, checks, summary, sha256 } = await close("2026-03", deps);
    expect(checks.filter(({ holds }) => !holds)).toEqual([]);
    expect(closed).toBe(true);
    const { organization } = spring.books;
    expect(summary).toMatchObject({
      ...{ month: "2026-03", closed_by: "ann", previous: null, late: [], reason: null },
      closed_at: "2026-04-03T12:00:00.000Z",
      counts_until: "2026-04-03T11:45:00.000Z",
      margin: { calls: 4, charged: "2" },
    });
    const wallet = summary?.accounts.find(({ account }) => account === "customer");
    expect(wallet).toMatchObject({ debit: "2", credit: "0" });
    expect(sha256).toBe(closes.months[0]?.sha256);
    expect(await verifyMonth("2026-03", deps)).toMatchObject({ ok: true, faults: [] });
    const { journal, balances } = await exportMonth("2026-03", deps);
    expect(journal).toEqual([
      {
        ...{ organization, month: "2026-03", kind: "usage" },
        ...{ debit: `customer:${organization}`, credit: "revenue:acme/Sonic-1-5", entries: 4, points: "2" },
      },
    ]);
    expect(balances).toMatchObject([{ organization, charged: "2" }]);
    expect(await close("2026-03", deps).catch(String)).toContain("2026-03 is closed");
  });

  test("takes what earlier months got too late, once", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    await close("2026-03", closingAt(spring, closes, closedOn));
    const march = closes.months[0]?.sha256;
    const late = spring.eventOn("2026-03-20T10:00:00Z", { cost_points: "3", list_points: "3" });
    await spring.books.post([late], at("2026-04-20T10:00:00Z"));
    await spring.books.seal(at("2026-05-02T12:00:00Z"));
    const april = closingAt(spring, closes, "2026-05-03T12:00:00Z");
    const { summary } = await close("2026-04", april);
    expect(summary).toMatchObject({
      ...{ previous: { month: "2026-03", sha256: march }, late: [{ month: "2026-03", entries: 1 }] },
    });
    const { journal } = await exportMonth("2026-04", april);
    expect(journal.map(({ month, points }) => [month, points])).toEqual([
      ["2026-03", "3"],
      ["2026-04", "1"],
    ]);
    const [first, second] = closes.months.map((each) => readSummary(each).accounts);
    const wallet = (lines: typeof first) => lines?.find(({ account }) => account === "customer");
    expect(wallet(second)?.opening).toBe(wallet(first)?.closing);
    for (const month of ["2026-03", "2026-04"])
      expect(await verifyMonth(month, april)).toMatchObject({ ok: true });
    // The next close finds nothing late, and closes a month in which nothing happened.
    await spring.books.seal(at("2026-06-02T12:00:00Z"));
    const may = await close("2026-05", closingAt(spring, closes, "2026-06-03T12:00:00Z"));
    expect(may.summary).toMatchObject({ late: [], journal: { rows: 0 } });
  });

  test("of two closes at a time one is kept", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn);
    const both = await Promise.allSettled([close("2026-03", deps), close("2026-03", deps)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(closes.months).toHaveLength(1);
  });

  test("is the one after the last closed one", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    await close("2026-03", closingAt(spring, closes, closedOn));
    const deps = closingAt(spring, closes, "2026-09-03T12:00:00Z");
    for (const month of ["2026-05", "2026-02"])
      await expect(close(month, deps)).rejects.toThrow("close 2026-04 first");
    closes.months[0] = { ...closes.months[0], summary: "{}" } as (typeof closes.months)[0];
    await expect(close("2026-04", deps)).rejects.toThrow("2026-03 is not as it was signed");
  });

  test("is not one from long before all customers, where it is the first", async () => {
    await calledInMarch();
    const deps = closingAt(spring, memoryCloses(), closedOn);
    // The organization was made in January.
    await expect(close("2025-10", deps)).rejects.toThrow("the first close is of 2025-11 or a later month");
    await expect(checkClose({ month: "2016-03", accepted: new Set() }, deps)).rejects.toThrow("2025-11");
    const nobody = { ...deps, accounts: { ...deps.accounts, organizations: async function* () {} } };
    await expect(close("2026-03", nobody)).rejects.toThrow("nothing to close");
  });

  test("is not closed by a clock before the last close", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    await close("2026-03", closingAt(spring, closes, "2026-06-03T12:00:00Z"));
    await spring.books.seal(at("2026-05-02T12:00:00Z"));
    const deps = closingAt(spring, closes, "2026-05-03T12:00:00Z");
    await expect(close("2026-04", deps)).rejects.toThrow("the clock here is before the close of 2026-03");
  });

  test("takes late entries of its months that add up to nothing, and stays as it was closed", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    await close("2026-03", closingAt(spring, closes, closedOn));
    const guess = spring.eventOn("2026-03-20T10:00:00Z", { cost_points: "3", source: "sweeper" });
    await spring.books.post([guess], at("2026-04-10T10:00:00Z"));
    await spring.books.post([{ ...guess, cost_points: "0", source: "gateway" }], at("2026-04-11T10:00:00Z"));
    await spring.books.seal(at("2026-05-02T12:00:00Z"));
    const april = await close("2026-04", closingAt(spring, closes, "2026-05-03T12:00:00Z"));
    expect(april.summary?.late).toEqual([{ month: "2026-03", entries: 2 }]);
    const late = spring.eventOn("2026-03-21T10:00:00Z", { cost_points: "1" });
    await spring.books.post([late], at("2026-05-20T10:00:00Z"));
    await spring.books.seal(at("2026-06-02T12:00:00Z"));
    const deps = closingAt(spring, closes, "2026-06-03T12:00:00Z");
    const { summary } = await close("2026-05", deps);
    expect(summary?.late).toEqual([{ month: "2026-03", entries: 1 }]);
    for (const month of ["2026-03", "2026-04", "2026-05"])
      expect(await verifyMonth(month, deps)).toMatchObject({ ok: true, faults: [] });
  });

  test("says whose key has signed it, and that another's summary is not of the ledger", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn);
    await close("2026-03", deps);
    expect(await verifyMonth("2026-03", deps)).toMatchObject({ signed_by: "current pepper" });
    const rotated = peppersOf({ version: 2, value: "new" }, { version: 1, value: pepper });
    const later = { ...deps, peppers: async () => rotated };
    expect(await verifyMonth("2026-03", later)).toMatchObject({ ok: true, signed_by: "previous pepper" });
    const [real] = closes.months;
    if (!real) throw new Error("no close");
    const accounts = readSummary(real).accounts.map((line) => ({ ...line, debit: "7" }));
    closes.months[0] = signSummary({ ...readSummary(real), accounts }, "somebody's");
    expect(await verifyMonth("2026-03", deps)).toMatchObject({
      ...{ ok: false, signed_by: "another" },
      faults: ["the summary's accounts are not those of the ledger"],
    });
  });

  test("does not begin with balances that the entries do not say", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    await close("2026-03", closingAt(spring, closes, closedOn));
    const deps = closingAt(spring, closes, "2026-05-03T12:00:00Z");
    await spring.books.seal(at("2026-05-02T12:00:00Z"));
    const { organization } = spring.books;
    const forged = {
      ...deps.ledger,
      // Written after the close, and posted before it by what it says.
      creditsAndFees: async () => [
        creditEntry({ organization, meter: "m", points: 5n, reference: "r", at: at("2026-03-05T00:00:00Z") }),
      ],
    };
    await expect(close("2026-04", { ...deps, ledger: forged })).rejects.toThrow(
      `the balance of ${organization} at the end of 2026-03 is not what its entries say`,
    );
  });

  test("whose entries somebody has changed is seen, and not exported", async () => {
    await calledInMarch();
    const closes = memoryCloses();
    const deps = closingAt(spring, closes, closedOn);
    await close("2026-03", deps);
    const { ledger } = deps;
    const lost: typeof deps = {
      ...deps,
      ledger: {
        ...ledger,
        async *eachEntry(...of) {
          for await (const entry of ledger.eachEntry(...of))
            if (spanOf(entry.at, "day") !== "2026-03-15") yield entry;
        },
      },
    };
    expect(await verifyMonth("2026-03", lost)).toMatchObject({
      ok: false,
      faults: [
        "the ledger's journal is another than the closed one",
        "the ledger's balances are others than the closed ones",
        "the summary's accounts are not those of the ledger",
      ],
    });
    await expect(exportMonth("2026-03", lost)).rejects.toThrow("nothing was exported");
    await expect(verifyMonth("2026-02", deps)).rejects.toThrow("2026-02 is not closed");
  });
});
