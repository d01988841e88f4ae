/** Vendors' bills on the embedded DynamoDB: written once, read back as they were, and a change of one is seen. */
import { expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { billBounds } from "#shared/books/reports/bills/bounds.ts";
import { billOf } from "#shared/books/reports/bills/import.ts";
import { createBillRecords } from "#shared/edges/store/bills.ts";
import { billHeadKey, billPartKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem, putItem } from "#shared/edges/store/dynamodb/items.ts";
import { noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const records = createBillRecords(db.aws, db.tables);
const { accounts } = db.tables;

/** A bill of a provider that no other test has. */
function newBill(rows = 1, provider = newId("order", noon)) {
  const lines = Array.from({ length: rows }, (_, at) => `2026-11-03,model-${at},${at}`);
  const text = ["day,model,requests", ...lines].join("\n");
  return billOf({ provider, format: "csv", text, file: "a.csv", now: noon }, []);
}

test("a bill of several items is read back line by line", async () => {
  const bill = newBill(2 * billBounds.linesPerItemMax + 1);
  expect(await records.write(bill)).toBe(true);
  expect(await records.heads(bill.head.provider)).toEqual([bill.head]);
  expect(await records.heads()).toContainEqual(bill.head);
  expect(await records.lines(bill.head)).toEqual(bill.lines);
});

test("a second write says so and changes nothing, also of two at once", async () => {
  const bill = newBill();
  const written = await Promise.all([records.write(bill), records.write(bill)]);
  expect(written.sort()).toEqual([false, true]);
  const again = { ...bill, head: { ...bill.head, imported_at: noon + 1 } };
  expect(await records.write(again)).toBe(false);
  expect(await records.heads(bill.head.provider)).toEqual([bill.head]);
});

test("providers whose names begin alike have their own bills", async () => {
  const one = newBill();
  const other = newBill(1, `${one.head.provider}-two`);
  for (const each of [one, other]) await records.write(each);
  expect(await records.heads(one.head.provider)).toEqual([one.head]);
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
  await expect(records.heads(provider)).rejects.toThrow(
    `V#bills ${provider}#${id} is not as it was imported`,
  );
  const { h: _, ...bare } = head ?? {};
  await putItem(db.aws, accounts, bare, []);
  await expect(records.heads(provider)).rejects.toThrow("is not as it was imported");
  // The other tests read all heads.
  if (head) await putItem(db.aws, accounts, head, []);
});
