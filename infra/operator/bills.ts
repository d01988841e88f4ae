/** The operator's commands on vendors' bills: `bills import`, `list`, `withdraw` and `compare` (shared/books/reports/bills/README.md). */
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { BillRefused } from "#shared/books/reports/bills/bill.ts";
import { billBounds } from "#shared/books/reports/bills/bounds.ts";
import { withoutMark } from "#shared/books/reports/bills/formats/format.ts";
import { billFormatNames, formatOf } from "#shared/books/reports/bills/formats/index.ts";
import { isUnexplained } from "#shared/books/reports/bills/report.ts";
import {
  compareMonth,
  type ImportedBill,
  importBill,
  listBills,
  type ToldReplacement,
  withdrawBill,
} from "#shared/edges/operator/bills.ts";
import { createBillRecords } from "#shared/edges/store/bills.ts";
import { placeIn } from "../catalog/catalog-files.ts";
import { actorAt } from "./actor.ts";
import { shownBill, shownReport } from "./bills-shown.ts";
import {
  type CommandCall,
  type CommandGroup,
  choice,
  command,
  flag,
  flagOf,
  month,
  needed,
  onOff,
  reason,
} from "./command.ts";
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

const importFlags = {
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
  "dry-run": onOff("only says what the bill would be and which days it would replace, and changes nothing"),
};

const importOne = command({
  words: "bills import",
  what: "keeps what a vendor has billed, as facts that bills compare reads",
  more: "The same file twice changes nothing. A newer bill counts in the place of an older one of the same days, and both are kept. It says which days these are, and asks first. A file with a mistake is refused with the lines, and nothing of it is kept. shared/books/reports/bills/README.md says what each format is.",
  operands: [{ name: "FILE", what: "the vendor's document", missing: "give the file of the bill" }],
  flags: importFlags,
  examples: {
    "usage.json --provider openai": "what the usage API gave for a month",
    "bill.csv --provider acme --format csv": "a table of one's own",
  },
  async foreseen(call) {
    if (call.flags["dry-run"]) return undefined;
    const { bill, replaces_days } = await importFor(call, { isDry: true });
    if (replaces_days.length === 0) return undefined;
    const each = replaces_days.map((days) => `  ${replacementText(days)}`);
    return [
      `${bill.file} counts in the place of earlier bills:`,
      ...each,
      "If these are parts of one bill, a day must be in one part alone.",
    ].join("\n");
  },
  async run(call) {
    const value = await importFor(call, { isDry: call.flags["dry-run"] });
    const replaces_days = value.replaces_days.map(replacementText).join("; ") || "none";
    return { value, shown: { ...value, replaces_days } };
  },
});

/** Reads the file, and keeps what it says, or sees what that would be. */
async function importFor(
  call: CommandCall<typeof importFlags>,
  how: { isDry: boolean },
): Promise<ImportedBill> {
  const { provider, credential, models } = call.flags;
  const file = call.operand;
  const place = await call.place();
  const catalog = await catalogOf(call, place);
  if (!Object.hasOwn(catalog.providers, provider))
    throw new Error(`the catalog has no provider ${provider}: ${Object.keys(catalog.providers).join(", ")}`);
  if (statSync(file).size > billBounds.fileBytesMax)
    throw new Error(`${file} is larger than ${billBounds.fileBytesMax} bytes: give it in parts`);
  const text = readFileSync(file, "utf8");
  const format = call.flags.format ?? formatOf(text);
  if (format === undefined) throw new Error(`what ${file} is cannot be seen: give --format`);
  const document = { provider, format, text, file: basename(file), credential, models, now: Date.now() };
  const records = createBillRecords(place.aws, place.tables);
  return await importBill(document, records, how).catch((error) => refuse(error, file, text));
}

/** The days of an earlier bill in short. */
function replacementText({ bill, file, days, tells }: ToldReplacement): string {
  const [first = "", last = ""] = [days[0], days.at(-1)];
  const span = days.length > 1 ? `${days.length} days from ${first} to ${last}` : first;
  return `${span} of ${bill} (${file}): ${tells.join(", ")}`;
}

/** Says where a file is wrong, a line for each problem. */
function refuse(error: unknown, file: string, text: string): never {
  if (!(error instanceof BillRefused)) throw error;
  const lines = error.problems.map(({ line, path, why }) => {
    const place = path
      ? placeIn({ file, text: withoutMark(text) }, path)
      : line === undefined
        ? file
        : `${file}:${line}`;
    return `${place}: ${why}`;
  });
  throw new Error([...lines, "nothing was imported"].join("\n"));
}

const list = command({
  words: "bills list",
  what: "lists the bills that are kept, the newest first: which of them newer ones replace, and which are withdrawn",
  flags: {
    provider: flag("NAME", "only bills of this provider"),
    month: flagOf("MONTH", "only bills that touch this month", month),
  },
  examples: { "--month 2026-11": "what is there for a month" },
  async run(call) {
    const { aws, tables } = await call.place();
    const value = await listBills(call.flags, createBillRecords(aws, tables));
    return { value, shown: value.map(shownBill) };
  },
});

const withdraw = command({
  words: "bills withdraw",
  what: "takes a bill out that is wrong or damaged: it counts nowhere, and what it replaced counts again",
  more: "It stays in the list with who withdrew it, when and why. Its file may be imported again, as a bill of its own.",
  operands: [
    { name: "ID", what: "the bill's id", missing: "give the id of the bill; bills list shows them" },
  ],
  flags: { reason: needed(flagOf("TEXT", "why, for whoever sees it later", reason)) },
  examples: { "bill_0123456789abcdef0123 --reason 'of another account'": "bills compare leaves it out" },
  forGood: ({ operand, flags: { reason: why } }) =>
    `${operand} counts nowhere from now on, and is listed as withdrawn: ${why}. What it replaced counts again. Only an import of its file brings back what it says.`,
  async run(call) {
    const connection = await call.place();
    const { aws, tables } = connection;
    const by = await actorAt(connection);
    const words = { id: call.operand, by, why: call.flags.reason, withdrawn_at: Date.now() };
    return { value: await withdrawBill(words, createBillRecords(aws, tables)) };
  },
});

const compare = command({
  words: "bills compare",
  what: "compares a month's bills with our attempts, and says why they differ",
  more: "It reads the ledger's calls of the month, and changes nothing. It exits with 3 where something is left unexplained, or where a model may have another name in the bill. shared/books/reports/bills/README.md says what each cause is.",
  flags: {
    month: needed(flagOf("MONTH", "the month, of UTC", month)),
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
      now: Date.now,
    };
    const value = await compareMonth(call.flags, deps);
    return { value, shown: shownReport(value), differs: isUnexplained(value) };
  },
});

export const bills: CommandGroup = {
  title: "Vendors' bills",
  commands: [importOne, list, withdraw, compare],
};
