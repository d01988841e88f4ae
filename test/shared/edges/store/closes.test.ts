/** Closed months on the embedded DynamoDB: written once, and balances that somebody has changed are seen. */
import { expect, test } from "vitest";
import { closeBounds } from "#shared/books/close/bounds.ts";
import { type BalanceRow, hashOfRows } from "#shared/books/close/journal.ts";
import { createMonthCloses } from "#shared/edges/store/closes.ts";
import { monthBalancesPartKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem, putItem } from "#shared/edges/store/dynamodb/items.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const closes = createMonthCloses(db.aws, db.tables);
const { accounts } = db.tables;

function rowsOf(count: number): BalanceRow[] {
  const row = { wallet: "1.5", receivable: "0", charged: "2", late: 0 };
  return Array.from({ length: count }, (_, at) => ({ organization: `org_${at}`, ...row }));
}

const closed = (month: string, summary = "{}") => ({
  ...{ month, summary, sha256: "aa", signature: "bb", public_key: "cc" },
});
const named = (month: string, rows: readonly BalanceRow[]) => ({
  month,
  balances: { rows: rows.length, sha256: hashOfRows(rows) },
});

const row = { organization: "org_9", wallet: "1.5", receivable: "0", charged: "2", late: 0 };

test("months follow each other, with balances of several items", async () => {
  const rows = rowsOf(2 * closeBounds.balancesPerItemMax + 1);
  expect(await closes.write(closed("2026-01"), rows, undefined)).toBe(true);
  expect(await closes.write(closed("2026-03"), [], { month: "2026-02" })).toBe(false);
  expect(await closes.write(closed("2026-03"), [], undefined)).toBe(false);
  expect(await closes.write(closed("2026-02"), [], { month: "2026-01" })).toBe(true);
  expect(await closes.all()).toEqual([closed("2026-01"), closed("2026-02")]);
  expect(await closes.balances(named("2026-01", rows))).toEqual(rows);
  expect(await closes.balances(named("2026-02", []))).toEqual([]);
});

test("of two closes at a time one is kept, of one month or of two, and the other's balances are not mixed in", async () => {
  const [one, other] = [rowsOf(2), rowsOf(3)];
  const last = { month: "2026-02" };
  const both = await Promise.all([
    closes.write(closed("2026-03", "one"), one, last),
    closes.write(closed("2026-03", "other"), other, last),
  ]);
  expect(both.toSorted()).toEqual([false, true]);
  expect(await closes.balances(named("2026-03", one))).toEqual(one);
  expect(await closes.balances(named("2026-03", other))).toEqual(other);
  const months = ["2026-04", "2026-05"].map((month) => closes.write(closed(month), [], { month: "2026-03" }));
  expect((await Promise.all(months)).toSorted()).toEqual([false, true]);
  expect(await closes.all()).toHaveLength(4);
});

test("balances that somebody has changed or taken away are refused", async () => {
  const rows = [row, { ...row, organization: "org_8" }];
  const last = (await closes.all()).at(-1);
  await closes.write(closed("2026-06"), rows, last);
  const of = named("2026-06", rows);
  const key = monthBalancesPartKey({ month: "2026-06", sha256: of.balances.sha256 }, 0);
  const item = await getItem(db.aws, accounts, key);
  await putItem(db.aws, accounts, { ...item, rows: { S: item?.rows?.S?.replace("1.5", "9.5") ?? "" } }, []);
  await expect(closes.balances(of)).rejects.toThrow("the balances of 2026-06 are not as they were closed");
  await db.aws("dynamodb", "DeleteItem", { TableName: accounts, Key: key });
  await expect(closes.balances(of)).rejects.toThrow("restore the table");
});
