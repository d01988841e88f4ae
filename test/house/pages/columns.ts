/** The columns of all lists as CSV, and of the export in FOCUS, as `shared/books/reports/columns.md` shows them. */
import { callColumns } from "#shared/books/reports/call-columns.ts";
import { focusColumns, ownColumns } from "#shared/books/reports/export-columns.ts";
import { invoiceColumns } from "#shared/people/invoices/columns.ts";
import { orderColumns } from "#shared/people/orders/columns.ts";
import { rules, rulesOfAll } from "#test/shared/books/reports/focus.ts";
import { asked } from "#test/shared/books/reports/focus-specification.ts";
import { codes, tableOf } from "./page.ts";

interface Declared {
  name: string;
  type: string;
  source: string;
  what: string;
}

/** The page below its title. */
export function columnsPage(): string {
  return [
    "## Calls",
    declared(callColumns),
    "## Orders",
    declared(orderColumns),
    "## Invoices",
    declared(invoiceColumns),
    "## FOCUS 1.3",
    specified(focusColumns),
    "## Our own columns of the export",
    declared(ownColumns),
    "## Rules of FOCUS",
    ruled(),
  ].join("\n\n");
}

function declared(columns: readonly Declared[]): string {
  return tableOf(
    ["Column", "Type", "From", "What"],
    columns.map(({ name, type, source, what }) => [codes([name]), type, source, what]),
  );
}

/** The columns of the specification, with what it asks of each. */
function specified(columns: readonly Declared[]): string {
  const rows = columns.map(({ name, type, source, what }) => {
    const { presence, null: nulls, allowed = [] } = asked[name] ?? {};
    return [codes([name]), presence ?? "", type, nulls ?? "", allowed.join(", "), source, what];
  });
  const head = ["Column", "Presence", "Type", "Null", "Allowed values", "From", "What"];
  return tableOf(head, rows.toSorted());
}

function ruled(): string {
  const all = Object.entries({ ...rules, ...rulesOfAll });
  const numberOf = (name: string) => Number(name.slice(1));
  const inOrder = all.toSorted(([a], [b]) => numberOf(a) - numberOf(b));
  return tableOf(
    ["Rule", "What must be so"],
    inOrder.map(([name, { what }]) => [name, what]),
  );
}
