/** The operator's commands on catalogs and prices. */
import { readFileSync, statSync } from "node:fs";
import { isDay } from "#shared/billing/period.ts";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { createCatalog, wholePrices } from "#shared/catalog/models.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { type CatalogReport, checkCatalog, refusedFor } from "#shared/operations/admin/catalog-check.ts";
import {
  type Additions,
  additionsOf,
  namesOfRows,
  withChannels,
} from "#shared/operations/prices/additions.ts";
import { type Compared, compare } from "#shared/operations/prices/drift.ts";
import { fillPrices, listPrices } from "#shared/operations/prices/history.ts";
import {
  agreementOf,
  type CatalogJson,
  listSources,
  readPriceList,
  withAgreement,
  withPrices,
} from "#shared/operations/prices/import.ts";
import { listFormats } from "#shared/operations/prices/list.ts";
import { doubtOfDay, isFuture } from "#shared/operations/prices/list-day.ts";
import { type Amount, readAmount } from "#shared/operations/prices/numbers.ts";
import { createPriceHistory } from "#shared/store/ledger/price-history.ts";
import { type CatalogFiles, checkedCatalog, located, readCatalogFiles } from "../catalog-files.ts";
import { defaultCatalog } from "../default-catalog.ts";
import { writeCatalog } from "../write-catalog.ts";
import {
  type Call,
  choice,
  command,
  flag,
  flagOf,
  type Group,
  needed,
  type Outcome,
  onOff,
} from "./command.ts";
import { counted } from "./progress.ts";
import { storesOf } from "./stores.ts";

/** A point is a US dollar in the default catalog. */
const onePointPerUsd: Amount = { digits: 1n, places: 0 };

const check = command({
  words: "catalog check",
  what: "says whether a catalog would deploy",
  more: "It warns of prices that were read more than 90 days ago, or nobody knows when. It exits with 1 for a catalog that would not deploy.",
  operands: [
    {
      name: "PATH",
      what: "the catalog: a file, or a folder with a file of each vendor",
      missing: "give the catalog's file or folder",
    },
  ],
  flags: {},
  examples: [{ words: "shared/catalog/default", what: "the catalog that ships" }],
  async run({ operands: [path = ""] }) {
    const report = reportOn(path);
    return { value: report, ok: report.ok };
  },
});

/** The report on a catalog, whose problems begin with file and line. */
function reportOn(path: string): CatalogReport {
  try {
    const files = readCatalogFiles(path);
    return checkCatalog(files.json, Date.now(), (problem) => located(files, problem));
  } catch (error) {
    return refusedFor(error);
  }
}

const importFlags = {
  from: needed(
    flag(
      "FILE",
      "the list: LiteLLM's model_prices_and_context_window.json, models.dev's api.json or genai-prices' data.json",
    ),
  ),
  also: flag("FILE", "a second list: which of the first one's prices it has too, and which it has otherwise"),
  format: choice(listFormats, "whose list it is; seen from the file if not given"),
  "as-of": flagOf("DAY", "the day the list is of; that of its file if not given", (text, name) => {
    if (!isDay(text)) throw new Error(`${name} takes a day like 2026-11-20`);
    if (isFuture(text, Date.now())) throw new Error(`${name} ${text} is in the future`);
    return text;
  }),
  source: flag("TEXT", "where it was read; its usual address if not given"),
  model: flagOf("PATTERNS", "the models to compare, such as openai/*,google/*", matcher),
  "points-per-usd": flagOf("N", "points for a US dollar; 1 if not given", (text, name) => {
    const rate = readAmount(text);
    if (!rate || rate.digits === 0n) throw new Error(`${name} takes a decimal above 0`);
    return rate;
  }),
  providers: flagOf("NAME=LISTED,…", "which of the list's providers one of the catalog is", pairs),
  out: flag(
    "PATH",
    "writes the catalog with the list's prices there, as a file or folder like the one it read",
  ),
  add: flagOf("PATTERNS", "new models and hosts to add to it, such as openai/* or *", patternsOf),
  force: onOff("writes over a file"),
};

const importList = command({
  words: "catalog import",
  what: "compares the catalog's prices with a public list that you have downloaded",
  more: [
    "It compares the catalog of --catalog, else the one that ships. It writes nothing without --out, and nothing that the check would refuse.",
    "--also reads a second list, of the same day. It is compared with the prices that the catalog has from the first. A price's source says whether the second list agrees.",
    "--add takes patterns of PROVIDER/NAME, of the list's own names, and of ids. A row becomes a model of its own, or one more channel of the model that has its name. The rows that cannot be added are in not_added, each with its reason, and all others are added.",
  ].join(" "),
  flags: importFlags,
  examples: [
    { words: "--from api.json --model 'openai/*'", what: "how OpenAI's prices differ" },
    { words: "--from api.json --out catalog.json", what: "a catalog with the list's prices" },
    {
      words: "--from api.json --out catalog.json --add 'openai/*'",
      what: "the same, with all that the list has of OpenAI",
    },
  ],
  run: importPrices,
});

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
  examples: [{ words: "--model 'openai/*'", what: "what calls of these models were charged at" }],
  async run(call) {
    const { version, fill, model: wanted = () => true } = call.flags;
    const stores = await storesOf(call);
    const { aws, tables } = stores.connection;
    // Entries from before there was a history have their prices in themselves alone.
    const whole = wholePrices(createCatalog(catalogOf(call).catalog));
    const everyEntry = () => counted(stores.ledger.everyEntry(), "entries", call.progress);
    const ledger = { ...stores.ledger, everyEntry };
    if (fill) await fillPrices({ ledger, history: createPriceHistory(aws, tables, whole) });
    return { value: await listPrices({ version, wanted }, stores), ok: true };
  },
});

async function importPrices(call: Call<typeof importFlags>): Promise<Outcome> {
  const { from, also, out, add, force, source: name, ...flags } = call.flags;
  if (out === undefined && add) throw new Error("--add goes with --out");
  if (out === undefined && force) throw new Error("--force goes with --out");
  const as_of = flags["as-of"] ?? dayWritten(from);
  const list = readPriceList(readFileSync(from, "utf8"), as_of, flags.format);
  const { files, catalog } = catalogOf(call);
  const doubt = doubtOfDay(as_of, list.models, Date.now());
  if (doubt && out !== undefined && flags["as-of"] === undefined) {
    throw new Error(`the day of the list's file is not plausible: ${doubt}. --as-of gives the list's day`);
  }
  const pointsPerUsd = flags["points-per-usd"] ?? onePointPerUsd;
  const source = { source: name ?? listSources[list.format], as_of };
  const { providers = new Map(), model: wanted = () => true } = flags;
  const options = { pointsPerUsd, as_of, providers };
  const compared = compare(catalog, list.models, { ...options, wanted });
  const { chosen, no_provider } = chosenRows(compared, catalog, add ?? []);
  const added = additionsOf(chosen, catalog, compared.prices, { source, pointsPerUsd });
  const priced = withChannels(
    withPrices(files.json as unknown as CatalogJson, catalog, compared.prices, source),
    added,
  );
  const next = { ...priced, models: [...priced.models, ...added.entries] };
  const agreement =
    also && agreementOf(parsed(next), pricedIn(compared, added), listAt(also, as_of), options);
  const summary = {
    ...{ format: list.format, as_of, ...(doubt && { as_of_doubt: doubt }), ...compared.drift },
    ...(agreement && { also: agreement }),
  };
  if (out === undefined) return { value: { ...summary, written: null }, ok: true };
  writeCatalog(out, files, agreement ? withAgreement(next, source, agreement) : next, force);
  return { value: { ...summary, ...reportOf(added), no_provider, written: out }, ok: true };
}

function listAt(file: string, day: string): ReturnType<typeof readPriceList> {
  return readPriceList(readFileSync(file, "utf8"), day);
}

/** The models that have the list's price now. */
function pricedIn({ prices }: Compared, { entries }: Additions): Set<string> {
  return new Set([...prices.keys(), ...entries.map(({ id }) => id ?? "")]);
}

function parsed(json: CatalogJson): Catalog {
  return parseCatalog(structuredClone(json));
}

function reportOf({ entries, channels, refused }: Additions) {
  return {
    added: entries.map(({ id }) => id),
    added_channels: channels.map(({ model, channel }) => ({
      model,
      provider: channel.provider,
      name: channel.model,
    })),
    not_added: refused,
  };
}

/**
 * The rows that patterns choose, and how many rows they would choose at providers that the catalog lacks. Throws for a
 * pattern that fits no row that could be added: its writer means something else.
 */
function chosenRows({ fresh, known, elsewhere }: Compared, catalog: Catalog, patterns: readonly Pattern[]) {
  const namesOf = namesOfRows(catalog);
  const isMeant = (names: string[]) => patterns.some(({ fits }) => names.some(fits));
  const rows = fresh.map((row) => ({ row, names: namesOf(row) }));
  const others = elsewhere.map((row) => ({ row, names: [`${row.provider}/${row.name}`, row.name] }));
  for (const { text, fits } of patterns) {
    if ([...rows.map(({ names }) => names), ...known.map(namesOf)].some((names) => names.some(fits)))
      continue;
    const away = others.find(({ names }) => names.some(fits));
    throw new Error(
      away
        ? `--add ${text}: the catalog has no provider ${away.row.provider}. --providers NAME=${away.row.provider} says which one it is`
        : `--add ${text}: no model of the list has such a name`,
    );
  }
  const away = others.filter(({ names }) => isMeant(names)).map(({ row }) => row.provider);
  return {
    chosen: rows.filter(({ names }) => isMeant(names)).map(({ row }) => row),
    no_provider: [...Map.groupBy(away, (name) => name)].map(([provider, all]) => ({
      provider,
      models: all.length,
    })),
  };
}

/** The catalog that `--catalog` names, else the one that ships: as its file has it, and as it was checked. */
function catalogOf({ catalogFile = defaultCatalog }: Pick<Call, "catalogFile">): {
  files: CatalogFiles;
  catalog: Catalog;
} {
  const files = readCatalogFiles(catalogFile);
  return { files, catalog: checkedCatalog(files) };
}

/** The UTC day a file was last written. A list was read no later than that. */
function dayWritten(file: string): string {
  return statSync(file).mtime.toISOString().slice(0, 10);
}

/** `acme=openai,other=zai`: the list's names for providers of the catalog. */
function pairs(text: string, name: string): Map<string, string> {
  const parts = text.split(",").filter((part) => part !== "");
  return new Map(
    parts.map((part) => {
      const [own, listed, surplus] = part.split("=");
      if (!own || !listed || surplus !== undefined) throw new Error(`${name} takes NAME=LISTED,…`);
      return [own, listed];
    }),
  );
}

/** Whether a name fits one of several patterns, `gpt-5*,o3`, in which `*` stands for anything. */
function matcher(patterns: string): (name: string) => boolean {
  const all = patternsOf(patterns);
  return (name) => all.some(({ fits }) => fits(name));
}

interface Pattern {
  text: string;
  fits: (name: string) => boolean;
}

function patternsOf(patterns: string): Pattern[] {
  return patterns.split(",").map((text) => {
    const form = text
      .split("*")
      .map((part) => RegExp.escape(part))
      .join(".*");
    const whole = new RegExp(`^(?:${form})$`, "i");
    return { text, fits: (name) => whole.test(name) };
  });
}

export const catalogs: Group = { title: "Catalog", commands: [check, importList, prices] };
