/** Vendors' bills on the embedded DynamoDB: written once, read back as they were, and a change of one is seen. */
import { expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { headsInForce } from "#shared/books/reports/bills/bill.ts";
import { billBounds } from "#shared/books/reports/bills/bounds.ts";
import { billOf } from "#shared/books/reports/bills/import.ts";
import { createBillRecords } from "#shared/edges/store/bills.ts";
import { billHeadKey, billPartKey, withdrawnBillKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem, putItem } from "#shared/edges/store/dynamodb/items.ts";
import { noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const records = createBillRecords(db.aws, db.tables);
const { accounts } = db.tables;
const headsOf = async (provider?: string) => headsInForce(await records.kept(provider));

/** A bill of a provider that no other test has. */
function newBill(rows = 1, provider = newId("order", noon)) {
  const lines = Array.from({ length: rows }, (_, at) => `2026-11-03,model-${at},${at}`);
  const text = ["day,model,requests", ...lines].join("\n");
  return billOf({ provider, format: "csv", text, file: "a.csv", now: noon }, []);
}

test("a bill of several items is read back line by line", async () => {
  const bill = newBill(2 * billBounds.linesPerItemMax + 1);
  expect(await records.write(bill)).toBe(true);
  expect(await headsOf(bill.head.provider)).toEqual([bill.head]);
  expect(await headsOf()).toContainEqual(bill.head);
  expect(await records.lines(bill.head)).toEqual(bill.lines);
});

test("the longest names fit: a part is bounded by its bytes too", async () => {
  const long = (name: string) => name.repeat(billBounds.nameCharsMax);
  const rows = Array.from(
    { length: 300 },
    (_, at) => `2026-11-03,${long("模")},${long("钥")},${long("级")},${at}`,
  );
  const text = ["day,model,credential,tier,requests", ...rows].join("\n");
  const models = new Map([[long("模"), long("型")]]);
  const provider = newId("order", noon);
  const bill = billOf({ provider, format: "csv", text, file: "a.csv", models, now: noon }, []);
  expect(JSON.stringify(bill.lines).length).toBeLessThan(400_000);
  expect(Buffer.byteLength(JSON.stringify(bill.lines))).toBeGreaterThan(400 << 10);
  expect(await records.write(bill)).toBe(true);
  expect(await records.lines(bill.head)).toEqual(bill.lines);
});

test("a second write says so and changes nothing, also of two at once", async () => {
  const bill = newBill();
  const written = await Promise.all([records.write(bill), records.write(bill)]);
  expect(written.sort()).toEqual([false, true]);
  const again = { ...bill, head: { ...bill.head, imported_at: noon + 1 } };
  expect(await records.write(again)).toBe(false);
  expect(await headsOf(bill.head.provider)).toEqual([bill.head]);
});

test("providers whose names begin alike have their own bills", async () => {
  const one = newBill();
  const other = newBill(1, `${one.head.provider}-two`);
  for (const each of [one, other]) await records.write(each);
  expect(await headsOf(one.head.provider)).toEqual([one.head]);
});

test("a head or a line that somebody has changed or taken away is seen", async () => {
  const bill = newBill();
  const { provider, id } = bill.head;
  await records.write(bill);
  const part = await getItem(db.aws, accounts, billPartKey(id, 0));
  const lines = part?.lines?.S?.replace('"count":0', '"count":7') ?? "";
  await putItem(db.aws, accounts, { ...part, lines: { S: lines } }, []);
  await expect(records.lines(bill.head)).rejects.toThrow(`V#${id} 0000 is not as it was imported`);
  await expect(records.lines({ ...newBill().head, id: "bill_none" })).rejects.toThrow(
    "bill_none has 0 lines of 1",
  );
  const head = await getItem(db.aws, accounts, billHeadKey(provider, id));
  await putItem(db.aws, accounts, { ...head, lines: { N: "2" } }, []);
  await expect(headsOf(provider)).rejects.toThrow(
    `V#bills ${provider}#${id} is not as it was imported: restore the table, or run operator bills withdraw ${id} --reason TEXT, and import its file again`,
  );
  const { h: _, ...bare } = head ?? {};
  await putItem(db.aws, accounts, bare, []);
  await expect(headsOf(provider)).rejects.toThrow("is not as it was imported");
  // A withdrawn one keeps nobody from reading the others.
  expect(await records.find(id)).toEqual({ provider, id });
  const withdrawal = { provider, id, by: "operator", why: "damaged", withdrawn_at: noon };
  await records.withdraw(withdrawal);
  expect(await records.kept(provider)).toEqual([{ provider, id, head: undefined, withdrawal }]);
});

test("of two withdrawals at once the first counts, and the bill stays as it is", async () => {
  const bill = newBill();
  const { provider, id } = bill.head;
  await records.write(bill);
  const mark = (by: string) => ({ provider, id, by, why: "of another account", withdrawn_at: noon });
  const both = await Promise.all(["ann", "bob"].map((by) => records.withdraw(mark(by))));
  expect(both.map(({ done }) => done).sort()).toEqual([false, true]);
  const first = mark(both[0]?.done ? "ann" : "bob");
  expect(both.map(({ withdrawal }) => withdrawal)).toEqual([first, first]);
  expect(await records.kept(provider)).toEqual([{ provider, id, head: bill.head, withdrawal: first }]);
  expect(await headsOf(provider)).toEqual([]);
  expect(await records.lines(bill.head)).toEqual(bill.lines);
});

test("a mark that somebody has changed is seen", async () => {
  const bill = newBill();
  const { provider, id } = bill.head;
  await records.write(bill);
  await records.withdraw({ provider, id, by: "ann", why: "of another account", withdrawn_at: noon });
  const key = withdrawnBillKey(provider, id);
  const item = await getItem(db.aws, accounts, key);
  await putItem(db.aws, accounts, { ...item, by: { S: "bob" } }, []);
  await expect(records.kept(provider)).rejects.toThrow("is not as it was written: restore the table");
  // The other tests read all marks.
  if (item) await putItem(db.aws, accounts, item, []);
});
