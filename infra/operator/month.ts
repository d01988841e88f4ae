/** The operator's commands that close months (shared/books/close/README.md). */
import { writeFileSync } from "node:fs";
import { type Peppers, readPeppers } from "#shared/base/platform/pepper.ts";
import { createSecretStore } from "#shared/base/platform/secret-text.ts";
import { hourOf, spanStart } from "#shared/books/billing/period.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import type { BalanceRow, JournalRow } from "#shared/books/close/journal.ts";
import { readSummary } from "#shared/books/close/summary.ts";
import { csvFile } from "#shared/books/reports/csv.ts";
import { compareMonth } from "#shared/edges/operator/bills.ts";
import { acceptableChecks, type CloseCheckName } from "#shared/edges/operator/close/checks.ts";
import {
  type CloseDeps,
  type CloseOutcome,
  checkClose,
  closeMonth,
} from "#shared/edges/operator/close/close.ts";
import {
  closedMonth,
  exportMonth,
  listMonths,
  type VerifyDeps,
  verifyMonth,
} from "#shared/edges/operator/close/verify.ts";
import { listHolds } from "#shared/edges/operator/holds.ts";
import { marginOf } from "#shared/edges/operator/margin.ts";
import { createBillRecords } from "#shared/edges/store/bills.ts";
import { createMonthCloses } from "#shared/edges/store/closes.ts";
import { createInvoices } from "#shared/edges/store/invoices.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { queueDepth } from "#shared/edges/store/usage-queue.ts";
import { actorAt } from "./actor.ts";
import {
  type CommandCall,
  type CommandGroup,
  type CommandOutcome,
  choice,
  command,
  flag,
  flagOf,
  month,
  reason,
} from "./command.ts";
import type { StackConnection } from "./connection.ts";
import { watchedLedger } from "./ledger-range.ts";
import { type ParquetType, parquetOf } from "./parquet.ts";
import { catalogOf, storesOf } from "./stores.ts";
import { wholeAudit } from "./whole-audit.ts";

const monthOperand = {
  name: "MONTH",
  what: "the month, of UTC, such as 2026-11",
  missing: "give the month, such as 2026-11",
};
/** A month as the examples write it. */
const sample = "2026-11";

function monthIn({ operand }: Pick<CommandCall, "operand">): string {
  return month(operand, "MONTH");
}

/** The names of checks that are accepted. */
function checkNames(text: string, name: string): ReadonlySet<CloseCheckName> {
  const given = text.split(",").map((each) => each.trim());
  const found = acceptableChecks.filter((each) => given.includes(each));
  if (found.length !== new Set(given).size)
    throw new Error(`${name} takes ${acceptableChecks.join(", ")}, with commas between`);
  return new Set(found);
}

/** The versions of the pepper of a place. */
async function peppersAt({ aws, pepperSecretArn }: StackConnection): Promise<Peppers> {
  return readPeppers((await createSecretStore(aws, pepperSecretArn).read()).text);
}

/** What reads closed months at a place. */
async function verifyingOf(call: CommandCall): Promise<VerifyDeps> {
  const { connection, accounts, ledger } = await storesOf(call);
  const closes = createMonthCloses(connection.aws, connection.tables);
  return {
    accounts,
    ledger: watchedLedger(ledger, call.progress),
    closes,
    peppers: () => peppersAt(connection),
  };
}

/** What closes months at a place. */
async function closingOf(call: CommandCall): Promise<CloseDeps> {
  const stores = await storesOf(call);
  const { aws, tables, deadLetterQueueUrl } = stores.connection;
  const catalog = createCatalog(await catalogOf(call, stores.connection));
  const [accounts, ledger] = [stores.accounts, watchedLedger(stores.ledger, call.progress)];
  const closes = createMonthCloses(aws, tables);
  const asked = monthIn(call);
  const [last] = (await closes.all()).slice(-1);
  // What earlier closes have walked is walked no more.
  const walking = last && { since: hourOf(spanStart(asked)) };
  return {
    ...{ accounts, ledger, closes, seller: catalog.seller(), now: stores.now },
    subject: {
      ledger,
      organizations: () => accounts.organizations(),
      holds: () => listHolds(0, stores),
      deadLetters: () => queueDepth(aws, deadLetterQueueUrl),
      audit: () => wholeAudit(stores, call.progress, walking),
      orders: () => createOrders(aws, tables).every(),
      invoices: () => createInvoices(aws, tables).every(),
      bills: () =>
        compareMonth(
          { month: asked },
          { records: createBillRecords(aws, tables), accounts, ledger, catalog, now: stores.now },
        ),
    },
    margin: (range) => marginOf(range, { accounts, ledger, seller: catalog.seller() }),
    pepper: async () => (await peppersAt(stores.connection)).current.value,
  };
}

const check = command({
  words: "month check",
  what: "says what keeps a month from being closed, and what to do about it",
  more: "It makes the checks of month close, and changes nothing. It exits with 1 where one does not hold.",
  operands: [monthOperand],
  examples: { [sample]: "on the first days of December" },
  async run(call) {
    const outcome = await checkClose({ month: monthIn(call), accepted: new Set() }, await closingOf(call));
    const ready = outcome.checks.every(({ holds }) => holds);
    return {
      value: outcome,
      shown: { month: outcome.month, ready, checks: shownChecks(outcome) },
      ok: ready,
    };
  },
});

const close = command({
  words: "month close",
  what: "closes a month for good: checks it, adds up its entries, and keeps a signed summary",
  more: "Months are closed one after the other. What is posted to a closed month later counts in the next one. Nothing is closed where a check does not hold; some can be accepted with a reason, which the summary keeps. shared/books/close/README.md says what each figure is.",
  operands: [monthOperand],
  flags: {
    accept: flagOf("CHECKS", `checks that need not hold, of ${acceptableChecks.join(", ")}`, checkNames),
    reason: flagOf("TEXT", "why they are accepted, for the accountant", reason),
  },
  examples: {
    [sample]: "the month before this one",
    [`${sample} --accept bills_are_explained --reason 'no bill before the 10th'`]: "without all bills",
  },
  forGood: (call) =>
    `${monthIn(call)} is closed for good, and so are all months before it. What is posted to them from now on counts in the next month.`,
  async run(call) {
    const { accept = new Set<CloseCheckName>(), reason: why = null } = call.flags;
    if (accept.size > 0 !== (why !== null)) throw new Error("--accept and --reason go together");
    const deps = await closingOf(call);
    const request = { month: monthIn(call), accepted: accept, reason: why };
    const by = await actorAt(await call.place());
    const outcome = await closeMonth({ ...request, by }, deps);
    return { value: outcome, shown: shownOutcome(outcome), ok: outcome.closed };
  },
});

function shownChecks({ checks }: CloseOutcome): object[] {
  return checks.map(({ name, holds, accepted, detail, todo }) => ({
    ...{ check: name, holds: accepted ? "accepted" : holds, detail, "what to do": todo ?? "-" },
  }));
}

/** What fits on the lines of a terminal. */
function shownOutcome(outcome: CloseOutcome): object {
  const { month, closed, summary, sha256 } = outcome;
  const told = shownChecks(outcome);
  if (!summary) return { month, closed, checks: told };
  const { accounts, late, margin, journal, balances } = summary;
  return {
    ...{ month, closed, sha256, journal_rows: journal.rows, organizations: balances.rows },
    ...{ accounts, late, margin, checks: told },
  };
}

const list = command({
  words: "month list",
  what: "lists the closed months, the newest first",
  examples: { "": "which months are closed, by whom, and with which hash" },
  async run(call) {
    const { aws, tables } = await call.place();
    const value = await listMonths({ closes: createMonthCloses(aws, tables) });
    return { value };
  },
});

const show = command({
  words: "month show",
  what: "shows the summary of a closed month; --json has the signed text too",
  operands: [monthOperand],
  examples: { [sample]: "what was closed", [`${sample} --json > close.json`]: "for the accountant" },
  async run(call) {
    const { aws, tables } = await call.place();
    const value = await closedMonth(monthIn(call), { closes: createMonthCloses(aws, tables) });
    const { checks, ...summary } = readSummary(value);
    const shown = { ...summary, checks, sha256: value.sha256 };
    return { value, shown };
  },
});

const verify = command({
  words: "month verify",
  what: "reads a closed month from the ledger anew, and says whether it is as it was closed",
  more: "It compares journal and balances by their hashes, and checks the signatures of all closed months and that each follows from the one before. It exits with 1 where something differs.",
  operands: [monthOperand],
  examples: { [sample]: "before an auditor asks" },
  async run(call) {
    const value = await verifyMonth(monthIn(call), await verifyingOf(call));
    return { value, ok: value.ok };
  },
});

const journalColumns = {
  month: "text",
  organization: "text",
  kind: "text",
  debit: "text",
  credit: "text",
  entries: "integer",
  points: "points",
} as const satisfies Record<keyof JournalRow, ParquetType>;
const balanceColumns = {
  organization: "text",
  wallet: "points",
  receivable: "points",
  charged: "points",
  late: "integer",
} as const satisfies Record<keyof BalanceRow, ParquetType>;

const exportRows = command({
  words: "month export",
  what: "prints the journal of a closed month, or its balances, for the books of a company",
  more: "It reads the ledger anew, and prints nothing where that differs from what was closed. A Parquet file has points as DECIMAL(38, 18).",
  operands: [monthOperand],
  flags: {
    rows: choice(["journal", "balances"], "what is printed; the journal if not given"),
    format: choice(["csv", "json"] as const, "the form of the lines; csv if not given"),
    parquet: flag("FILE", "writes a Parquet file instead of printing lines"),
  },
  examples: {
    [`${sample} > november.csv`]: "the journal as CSV",
    [`${sample} --rows balances --parquet balances.parquet`]: "what each customer has, for a warehouse",
  },
  prints: "text",
  async run(call): Promise<CommandOutcome> {
    const { rows = "journal", format = call.json ? "json" : "csv", parquet } = call.flags;
    if (parquet !== undefined && call.flags.format !== undefined)
      throw new Error("give --format or --parquet, not both");
    const { journal, balances } = await exportMonth(monthIn(call), await verifyingOf(call));
    const exported =
      rows === "journal" ? exportOf(journal, journalColumns) : exportOf(balances, balanceColumns);
    if (parquet === undefined) return { text: asText(exported[format]()) };
    writeFileSync(parquet, await exported.parquet());
    return { value: { file: parquet, rows: exported.rows } };
  },
});

/** Rows in each form. */
function exportOf(rows: readonly object[], columns: Readonly<Record<string, ParquetType>>) {
  const names = Object.keys(columns);
  const cellsOf = (row: object) => names.map((name) => String(Reflect.get(row, name)));
  return {
    rows: rows.length,
    csv: () => csvFile([names, ...rows.map(cellsOf)]),
    json: () => `${JSON.stringify(rows, null, 2)}\n`,
    parquet: () => parquetOf(rows, columns),
  };
}

async function* asText(text: string): AsyncGenerator<string> {
  yield text;
}

export const months: CommandGroup = {
  title: "Month close",
  commands: [check, close, list, show, verify, exportRows],
};
