/** A statement as CSV (RFC 4180), for spreadsheets and for what finance imports. */
import { formatPoints } from "../billing/points.ts";
import { csvRow } from "../reports/export-columns.ts";
import type { PlanLine, Statement, WalletLine } from "./statement.ts";

/** Without this mark spreadsheets take a file of UTF-8 for one of the machine's own character set. */
const byteOrderMark = "\uFEFF";

const columns = ["month", "section", "at", "description", "reference", "calls", "points"] as const;

/**
 * A line for each line of the statement. `points` of the sections `credit`, `usage`, `correction` and `refund` have their
 * signs: the opening line and they add up to the closing line. The sections `plan_fee` and `plan_payment` touch no
 * wallet. No text in it can run as a formula.
 */
export function statementCsv(statement: Statement): string {
  const { month, opening, closing, credits, usage, corrections, refunds, fees, payments } = statement;
  const rows: string[][] = [
    [month, "opening", "", "", "", "", formatPoints(opening)],
    ...credits.map((line) => walletRow(month, "credit", line)),
    ...usage.map(({ model, calls, points }) => {
      return [month, "usage", "", model, "", String(calls), formatPoints(-points)];
    }),
    ...corrections.map((line) => walletRow(month, "correction", line)),
    ...refunds.map((line) => walletRow(month, "refund", line)),
    [month, statement.is_running ? "closing_so_far" : "closing", "", "", "", "", formatPoints(closing)],
    ...fees.map((line) => planRow(month, "plan_fee", line)),
    ...payments.map((line) => planRow(month, "plan_payment", line)),
  ];
  return `${byteOrderMark}${[[...columns], ...rows].map((row) => `${csvRow(row)}\r\n`).join("")}`;
}

function walletRow(month: string, section: string, { at, kind, reference, points }: WalletLine): string[] {
  return [month, section, instantText(at), kind, reference, "", formatPoints(points)];
}

function planRow(month: string, section: string, { at, reference, fee, points }: PlanLine): string[] {
  const description = fee ? `${fee.plan} ${fee.period}` : "";
  return [month, section, instantText(at), description, reference, "", formatPoints(points)];
}

function instantText(at: number): string {
  return new Date(at).toISOString();
}
