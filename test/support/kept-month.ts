/** What finance keeps of a month, for books that have everything: a vendor's bill, and a close. */
import { billOf } from "#shared/books/reports/bills/import.ts";
import { createBillRecords } from "#shared/edges/store/bills.ts";
import { createMonthCloses } from "#shared/edges/store/closes.ts";
import { closedWith } from "./closed-months.ts";
import type { Place } from "./kept-orders.ts";

/** An operator has imported a vendor's bill. */
export async function keepBill({ aws, tables, clock }: Place): Promise<void> {
  const text = "day,model,requests,cost,currency\n2026-11-21,sonic,3,0.25,USD\n";
  const document = { provider: "acme", format: "csv" as const, text, file: "acme.csv", now: clock.now };
  await createBillRecords(aws, tables).write(billOf(document, []));
}

/** An operator has closed a month. */
export async function keepClose({ aws, tables, clock }: Place): Promise<void> {
  const balance = { organization: "org_1", wallet: "0", receivable: "0", charged: "0", late: 0 };
  const closed = closedWith({ month: "2026-10", counts_until: clock.now }, [balance]);
  await createMonthCloses(aws, tables).write(closed, [balance], undefined);
}
