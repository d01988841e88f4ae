/** A statement as CSV (RFC 4180), for spreadsheets and for what finance imports. */
import { formatPoints } from "../../books/billing/points.ts";
import { csvFile } from "../../books/reports/csv.ts";
import type { PlanLine, Statement, WalletLine } from "./statement.ts";
import type { StatementBought } from "./statement-html.ts";

/** Every column in its order, empty where a line has nothing to say. */
const columns = [
  ...(["month", "section", "at", "description", "reference", "calls"] as const),
  ...(["order", "channel", "amount", "currency", "points"] as const),
];
type Row = Partial<Record<(typeof columns)[number], string>>;

/**
 * A line for each line of the statement. `points` of the sections `credit`, `usage`, `correction`, `refund` and `plan` have
 * their signs: the opening line and they add up to the closing line. The sections `plan_fee` and `plan_payment` touch no
 * wallet. Those of `opening_bought` and `closing_bought` say what was paid for the balances. No text in it can run as a
 * formula.
 */
export function statementCsv(statement: Statement, bought: readonly StatementBought[]): string {
  const { month, opening, closing, credits, usage, corrections, refunds, plans, fees, payments } = statement;
  const rows: Row[] = [
    { section: "opening", points: formatPoints(opening) },
    ...credits.map((line) => walletRow("credit", line)),
    ...usage.map(({ model, calls, points }) => {
      return { section: "usage", description: model, calls: String(calls), points: formatPoints(-points) };
    }),
    ...corrections.map((line) => walletRow("correction", line)),
    ...refunds.map((line) => walletRow("refund", line)),
    ...plans.map((line) => walletRow("plan", line)),
    { section: statement.is_running ? "closing_so_far" : "closing", points: formatPoints(closing) },
    ...fees.map((line) => planRow("plan_fee", line)),
    ...payments.map((line) => planRow("plan_payment", line)),
    ...bought.flatMap(({ currency, ...line }) => [
      boughtRow("opening_bought", currency, line.opening_points, line.opening_amount),
      boughtRow("closing_bought", currency, line.closing_points, line.closing_amount),
    ]),
  ];
  const cells = rows.map((row) => columns.map((name) => ({ month, ...row })[name] ?? ""));
  return csvFile([columns, ...cells]);
}

function walletRow(section: string, { at, kind, reference, points, money }: WalletLine): Row {
  return {
    section,
    at: instantText(at),
    description: kind,
    reference,
    ...money,
    points: formatPoints(points),
  };
}

function planRow(section: string, { at, reference, fee, points, money }: PlanLine): Row {
  const description = fee ? `${fee.plan} ${fee.period}` : "";
  return { section, at: instantText(at), description, reference, ...money, points: formatPoints(points) };
}

function boughtRow(section: string, currency: string | null, points: string, amount: string | null): Row {
  return { section, points, currency: currency ?? "", amount: amount ?? "" };
}

function instantText(at: number): string {
  return new Date(at).toISOString();
}
