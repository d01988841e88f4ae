/** The operator's commands on vendors' bills: `bills import`, `list` and `compare` (shared/books/reports/bills/README.md). */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { BillRefused } from "#shared/books/reports/bills/bill.ts";
import { billBounds } from "#shared/books/reports/bills/bounds.ts";
import { billFormatNames, formatOf } from "#shared/books/reports/bills/formats/index.ts";
import {
  type BillsReport,
  isUnexplained,
  type ToldAmounts,
  type ToldCell,
  type ToldSection,
} from "#shared/books/reports/bills/report.ts";
import { compareMonth, importBill, listBills } from "#shared/edges/operator/bills.ts";
import { createBillRecords } from "#shared/edges/store/bills.ts";
import { placeIn } from "../catalog/catalog-files.ts";
import { operatorBounds } from "./bounds.ts";
import { type CommandGroup, choice, command, flag, flagOf, needed } from "./command.ts";
import { watchedLedger } from "./ledger-range.ts";
import { catalogOf, storesOf } from "./stores.ts";

/** Reads pairs such as `key_1=OPENAI_API_KEY,key_2=OTHER_KEY`. */
function pairs(text: string, name: string): Map<string, string> {
  const found = text.split(",").map((pair) => /^([^=]+)=([^=]+)$/.exec(pair.trim()));
  if (found.includes(null)) throw new Error(`${name} takes pairs such as theirs=ours, with commas between`);
  return new Map(found.map((each) => [each?.[1] ?? "", each?.[2] ?? ""]));
}

/** One name of ours, or pairs of a vendor's ids and our names. */
function credentials(text: string, name: string): string | Map<string, string> {
  if (text.includes("=")) return pairs(text, name);
  if (!/^[\w.-]{1,200}$/.test(text))
    throw new Error(`${name} takes the name of a secret such as OPENAI_API_KEY`);
  return text;
}

function monthIn(text: string, name: string): string {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) throw new Error(`${name} takes a month such as 2026-11`);
  return text;
}

const importOne = command({
  words: "bills import",
  what: "keeps what a vendor has billed, as facts that bills compare reads",
  more: "The same file twice changes nothing. A newer bill counts in the place of an older one of the same days, and both are kept. A file with a mistake is refused with the lines, and nothing of it is kept. shared/books/reports/bills/README.md says what each format is.",
  operands: [{ name: "FILE", what: "the vendor's document", missing: "give the file of the bill" }],
  flags: {
    provider: needed(flag("NAME", "the provider's name in the catalog")),
    format: choice(billFormatNames, "the form of the file, where it is not found by itself"),
    credential: flagOf(
      "NAMES",
      "the name of the secret that all of it is of, or pairs of the vendor's key ids and our names, such as key_1=OPENAI_API_KEY; the whole account if not given",
      credentials,
    ),
    models: flagOf(
      "PAIRS",
      "the vendor's names of models and ours, such as Claude4.5Sonnet=claude-sonnet-4-5",
      pairs,
    ),
  },
  examples: {
    "usage.json --provider openai": "what the usage API gave for a month",
    "bill.csv --provider acme --format csv": "a table of one's own",
  },
  async run(call) {
    const { provider, credential, models } = call.flags;
    const file = call.operand;
    const place = await call.place();
    const catalog = await catalogOf(call, place);
    if (!Object.hasOwn(catalog.providers, provider))
      throw new Error(
        `the catalog has no provider ${provider}: ${Object.keys(catalog.providers).join(", ")}`,
      );
    if (statSync(file).size > billBounds.fileBytesMax)
      throw new Error(`${file} is larger than ${billBounds.fileBytesMax} bytes: give it in parts`);
    const text = readFileSync(file, "utf8");
    const format = call.flags.format ?? formatOf(text);
    if (format === undefined) throw new Error(`what ${file} is cannot be seen: give --format`);
    const document = { provider, format, text, file: basename(file), credential, models, now: Date.now() };
    const records = createBillRecords(place.aws, place.tables);
    return { value: await importBill(document, records).catch((error) => refuse(error, file, text)) };
  },
});

/** Says where a file is wrong, a line for each problem. */
function refuse(error: unknown, file: string, text: string): never {
  if (!(error instanceof BillRefused)) throw error;
  const lines = error.problems.map(({ line, path, why }) => {
    const place = path ? placeIn({ file, text }, path) : line === undefined ? file : `${file}:${line}`;
    return `${place}: ${why}`;
  });
  throw new Error([...lines, "nothing was imported"].join("\n"));
}

const list = command({
  words: "bills list",
  what: "lists the bills that are kept, the newest first, and which of them newer ones replace",
  flags: {
    provider: flag("NAME", "only bills of this provider"),
    month: flagOf("MONTH", "only bills that touch this month", monthIn),
  },
  examples: { "--month 2026-11": "what is there for a month" },
  async run(call) {
    const { aws, tables } = await call.place();
    const value = await listBills(call.flags, createBillRecords(aws, tables));
    const shown = value.map(({ id, provider, format, credential, first_day, last_day, ...bill }) => ({
      ...{ id, provider, format, credential: credential || "all", first_day, last_day, lines: bill.lines },
      ...{ left_out: bill.left_out, tells: bill.tells.join(" "), file: bill.file },
      imported_at: bill.imported_at,
      replaced_by: bill.replaced_by.join(" ") || "-",
    }));
    return { value, shown };
  },
});

const compare = command({
  words: "bills compare",
  what: "compares a month's bills with our attempts, and says why they differ",
  more: "It reads the ledger's calls of the month, and changes nothing. It exits with 3 where something is left unexplained. shared/books/reports/bills/README.md says what each cause is.",
  flags: {
    month: needed(flagOf("MONTH", "the month, of UTC", monthIn)),
    provider: flag("NAME", "only bills of this provider"),
  },
  examples: {
    "--month 2026-11": "all providers with a bill",
    "--month 2026-11 --provider openai --json > november.json": "every day, model and credential",
  },
  async run(call) {
    const stores = await storesOf(call);
    const { aws, tables } = stores.connection;
    const { accounts, ledger } = stores;
    const catalog = createCatalog(await catalogOf(call, stores.connection));
    const deps = {
      records: createBillRecords(aws, tables),
      accounts,
      ledger: watchedLedger(ledger, call.progress),
      catalog,
    };
    const value = await compareMonth(call.flags, deps);
    return { value, shown: shownOf(value), differs: isUnexplained(value) };
  },
});

/** What fits on the lines of a terminal: totals, causes, and the cells that differ most in need of a look. */
function shownOf({ month, currency, providers }: BillsReport): object {
  const sections = providers.flatMap(({ provider, sections: own }) =>
    own.map(
      (section) => [`${provider}${section.credential ? ` (${section.credential})` : ""}`, section] as const,
    ),
  );
  if (sections.length === 0) return { month, bills: "none: give them to bills import" };
  return {
    month,
    currency,
    ...Object.fromEntries(sections.map(([name, each]) => [name, shownSection(each)])),
  };
}

function shownSection({ totals, cells, ...section }: ToldSection): object {
  const { ours, theirs, difference, unexplained, causes } = totals;
  const names = Object.keys({ ...ours, ...theirs });
  const differing = cells.filter((cell) => cell.causes.length > 0 || isLeft(cell));
  const most = operatorBounds.billCellsShown;
  const first = differing.toSorted((a, b) => Number(isLeft(b)) - Number(isLeft(a))).slice(0, most);
  return {
    bills: section.bills.join(" "),
    days_without_bill: section.days_without_bill.join(" ") || "none",
    broken_off: section.broken_off,
    totals: names.map((name) => ({
      amount: name,
      ...{ ours: ours[name] ?? "0", theirs: theirs[name] ?? "0", difference: difference[name] ?? "0" },
      unexplained: unexplained[name] ?? "0",
    })),
    causes: causes.map(({ cause, cells: count, amounts }) => ({
      cause,
      cells: count,
      amounts: amountsText(amounts),
    })),
    ...(differing.length > first.length && { cells_shown: `${first.length} of ${differing.length}` }),
    cells: first.map((cell) => ({
      ...{ day: cell.day, model: cell.model || "-", credential: cell.credential || "all" },
      difference: amountsText(cell.difference),
      causes: cell.causes.map(({ cause, why }) => `${cause} (${why})`).join("; ") || "-",
      unexplained: amountsText(cell.unexplained),
    })),
  };
}

function isLeft({ unexplained }: Pick<ToldCell, "unexplained">): boolean {
  return Object.keys(unexplained).length > 0;
}

function amountsText(amounts: ToldAmounts): string {
  const parts = Object.entries(amounts).map(([name, amount]) => `${name} ${amount}`);
  return parts.join(", ") || "-";
}

export const bills: CommandGroup = { title: "Vendors' bills", commands: [importOne, list, compare] };
