/** What the commands on bills do at an instant: the days of a month that has not ended. */
import { expect, test } from "vitest";
import type { BillRecords, HeldBill } from "#shared/books/reports/bills/bill.ts";
import { billOf } from "#shared/books/reports/bills/import.ts";
import { compareMonth } from "#shared/edges/operator/bills.ts";

const at = (day: string) => Date.parse(`${day}Z`);

/** Compares November at an instant, by one bill and without a call of ours. */
async function compared({ head, lines }: HeldBill, now: number) {
  const { provider, id } = head;
  const records: Pick<BillRecords, "kept" | "lines"> = {
    kept: async () => [{ provider, id, head, withdrawal: undefined }],
    lines: async () => [...lines],
  };
  const deps = {
    records,
    accounts: { async *organizations() {} },
    ledger: { entries: () => [] },
    catalog: { find: () => undefined, seller: () => ({}) },
    now: () => now,
  };
  const { providers } = await compareMonth({ month: "2026-11" }, deps as never);
  return providers[0]?.sections[0]?.days_without_bill;
}

test("a day of the running month lacks no bill before it has ended", async () => {
  const text = "day,model,requests\n2026-11-02,a,1";
  const now = at("2026-11-03T23:59:59");
  const bill = billOf({ provider: "acme", format: "csv", text, file: "a.csv", now }, []);
  expect(await compared(bill, now)).toEqual(["2026-11-01"]);
  expect(await compared(bill, at("2026-11-04T00:00:00"))).toEqual(["2026-11-01", "2026-11-03"]);
  expect(await compared(bill, at("2026-12-24T00:00:00"))).toHaveLength(29);
});
