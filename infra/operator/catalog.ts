/** The operator's commands on catalogs and prices. */
import { createCatalog, wholePrices } from "#shared/books/catalog/models.ts";
import { fillPrices, listPrices } from "#shared/books/prices/history.ts";
import { type CatalogReport, checkCatalog, refusedFor } from "#shared/edges/operator/catalog-check.ts";
import { createPriceHistory } from "#shared/edges/store/ledger/price-history.ts";
import { placeOf, readCatalogFiles } from "../catalog/catalog-files.ts";
import { importList } from "./catalog-import.ts";
import { catalogOf, matcher } from "./catalog-names.ts";
import { syncLists } from "./catalog-sync.ts";
import { type CommandGroup, command, flagOf, onOff } from "./command.ts";
import { counted } from "./progress.ts";
import { storesOf } from "./stores.ts";

const check = command({
  words: "catalog check",
  what: "says whether a catalog would deploy",
  more: "A problem begins with its file, line and column. It warns of prices that were read more than 90 days ago, or nobody knows when, with one line for each kind of warning. It exits with 1 for a catalog that would not deploy.",
  operands: [
    {
      name: "PATH",
      what: "the catalog: a file, or a folder with a file of each vendor",
      missing: "give the catalog's file or folder",
    },
  ],
  flags: { verbose: onOff("a line for each warning, with its place, and not one for each kind") },
  examples: {
    "shared/books/catalog/default": "the catalog that ships",
    "shared/books/catalog/default --verbose": "with the place of each warning",
  },
  async run({ operands: [path = ""], flags: { verbose } }) {
    const { grouped, warnings, ...report } = reportOn(path);
    const { ok, problems, ...rest } = report;
    return { value: { ok, problems, warnings: verbose ? warnings : grouped, ...rest }, ok };
  },
});

/** The report on a catalog, whose problems and warnings begin with file, line and column. */
function reportOn(path: string): CatalogReport {
  try {
    const files = readCatalogFiles(path);
    return checkCatalog(files.json, Date.now(), (path) => `${placeOf(files, path)}: `);
  } catch (error) {
    return refusedFor(error);
  }
}

const prices = command({
  words: "catalog prices",
  what: "shows what the price versions of receipts, entries and exports stand for, and since when",
  flags: {
    model: flagOf("PATTERNS", "only these models, such as openai/*,google/*", matcher),
    version: flagOf("HASH", "only this version", (text, name) => {
      if (!/^[0-9a-f]{12}$/.test(text)) throw new Error(`${name} takes 12 hex digits`);
      return text;
    }),
    fill: onOff("first reads the whole ledger for versions that only its entries know"),
  },
  examples: { "--model 'openai/*'": "what calls of these models were charged at" },
  async run(call) {
    const { version, fill, model: wanted = () => true } = call.flags;
    const stores = await storesOf(call);
    const { aws, tables } = stores.connection;
    // Entries from before there was a history have their prices in themselves alone.
    const whole = wholePrices(createCatalog(catalogOf(call).catalog));
    const everyEntry = () => counted(stores.ledger.everyEntry(), "entries", call.progress);
    const ledger = { ...stores.ledger, everyEntry };
    if (fill) await fillPrices({ ledger, history: createPriceHistory(aws, tables, whole) });
    return { value: await listPrices({ version, wanted }, stores) };
  },
});

export const catalogs: CommandGroup = { title: "Catalog", commands: [check, importList, syncLists, prices] };
