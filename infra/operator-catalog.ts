/** The operator's commands on catalogs and prices. */
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDay } from "#shared/billing/period.ts";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { createCatalog, wholePrices } from "#shared/catalog/models.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { checkCatalog } from "#shared/operations/admin/catalog-check.ts";
import { catalogText } from "#shared/operations/admin/catalog-text.ts";
import { compare } from "#shared/operations/prices/drift.ts";
import { fillPrices, listPrices } from "#shared/operations/prices/history.ts";
import {
  type CatalogJson,
  listSources,
  newEntries,
  readPriceList,
  withPrices,
} from "#shared/operations/prices/import.ts";
import { listFormats } from "#shared/operations/prices/list.ts";
import { readAmount } from "#shared/operations/prices/numbers.ts";
import { createPriceHistory } from "#shared/store/ledger/price-history.ts";
import { type Call, type Command, type Flags, needed, oneOf, storesOf, text } from "./operator-call.ts";

/** A point is a US dollar in the default catalog. */
const pointsPerUsd = "1";

export const catalogCommands: Record<string, Command> = {
  "catalog check": {
    synopsis: "FILE (would it deploy, and which prices were read more than 90 days ago?)",
    async run({ operands }) {
      const [file] = operands;
      if (!file) throw new Error("give the catalog's file");
      const report = checkCatalog(readFileSync(file, "utf8"), Date.now());
      return { value: report, ok: report.ok };
    },
  },
  "catalog import": {
    synopsis:
      "--from FILE [--format litellm|models.dev] [--as-of DAY] [--source TEXT] [--model PATTERNS] [--points-per-usd N]\n    [--providers NAME=LISTED,…] [--out FILE [--add PATTERNS] [--force]] (how a public price list differs from --catalog)",
    run: importPrices,
  },
  "catalog prices": {
    synopsis:
      "[--model PATTERNS] [--version HASH] [--fill] (what each price version that was charged stands for, and since when)",
    async run(call) {
      const { flags } = call;
      const version = text(flags, "version");
      if (version !== undefined && !/^[0-9a-f]{12}$/.test(version))
        throw new Error("--version takes 12 hex digits");
      const { stores, connection } = await storesOf(call);
      // Entries from before there was a history have their prices in themselves alone.
      const whole = wholePrices(createCatalog(catalogOf(flags).catalog));
      const history = createPriceHistory(connection.aws, connection.tables, whole);
      if (flags["fill"]) await fillPrices({ ledger: stores.ledger, history });
      const wanted = matcher(text(flags, "model") ?? "*");
      return { value: await listPrices({ version, wanted }, stores), ok: true };
    },
  },
};

async function importPrices({ flags }: Call) {
  const from = needed(flags, "from");
  const given = text(flags, "format");
  const format = given === undefined ? undefined : oneOf(given, "--format", listFormats);
  const list = readPriceList(readFileSync(from, "utf8"), format);
  const { file, catalog } = catalogOf(flags);
  const rate = readAmount(text(flags, "points-per-usd") ?? pointsPerUsd);
  if (!rate || rate.digits === 0n) throw new Error("--points-per-usd takes a decimal above 0");
  const source = { source: text(flags, "source") ?? listSources[list.format], as_of: dayOf(flags, from) };
  const terms = {
    pointsPerUsd: rate,
    as_of: source.as_of,
    providers: pairs(text(flags, "providers")),
    wanted: matcher(text(flags, "model") ?? "*"),
  };
  const compared = compare(catalog, list.models, terms);
  const summary = { format: list.format, as_of: source.as_of, ...compared.drift };
  const out = text(flags, "out");
  if (out === undefined) {
    for (const name of ["add", "force"])
      if (flags[name] !== undefined) throw new Error(`--${name} goes with --out`);
    return { value: { ...summary, written: null }, ok: true };
  }
  const add = text(flags, "add");
  const chosen = add === undefined ? [] : compared.fresh.filter(({ listed }) => matcher(add)(listed.name));
  const added = newEntries(chosen, catalog, source, rate);
  const priced = withPrices(file, catalog, compared.prices, source);
  const next = { ...priced, models: [...priced.models, ...added.entries] };
  writeCatalog(out, next, flags["force"] === true);
  const names = added.entries.map(({ id }) => id);
  return { value: { ...summary, added: names, not_added: added.refused, written: out }, ok: true };
}

/** The catalog that `--catalog` names, else the default one: as its file has it, and as it was checked. */
function catalogOf(flags: Flags): { file: CatalogJson; catalog: Catalog } {
  const defaultFile = fileURLToPath(new URL("../shared/catalog/catalog.json", import.meta.url));
  const file = JSON.parse(readFileSync(text(flags, "catalog") ?? defaultFile, "utf8")) as CatalogJson;
  return { file, catalog: parseCatalog(file) };
}

/** The day a list is of: given, else the day its file was last written, which is no later than that of its reading. */
function dayOf(flags: Flags, file: string): string {
  const given = text(flags, "as-of");
  if (given !== undefined && !isDay(given)) throw new Error("--as-of takes a day like 2026-11-20");
  return given ?? statSync(file).mtime.toISOString().slice(0, 10);
}

/** `acme=openai,other=zai`: the list's names for providers of the catalog. */
function pairs(flag = ""): Map<string, string> {
  const parts = flag.split(",").filter((part) => part !== "");
  return new Map(
    parts.map((part) => {
      const [name, listed, surplus] = part.split("=");
      if (!name || !listed || surplus !== undefined) throw new Error("--providers takes NAME=LISTED,…");
      return [name, listed];
    }),
  );
}

/** Whether a name fits one of several patterns, `gpt-5*,o3`, in which `*` stands for anything. */
function matcher(patterns: string): (name: string) => boolean {
  const forms = patterns.split(",").map((pattern) =>
    pattern
      .split("*")
      .map((part) => RegExp.escape(part))
      .join(".*"),
  );
  const whole = new RegExp(`^(?:${forms.join("|")})$`, "i");
  return (name) => whole.test(name);
}

/** Writes a catalog that the deploy would take, whole or not at all. Throws for any other, and over a file without `force`. */
function writeCatalog(file: string, json: unknown, force: boolean): void {
  const content = catalogText(json);
  parseCatalog(JSON.parse(content));
  if (existsSync(file) && !force) throw new Error(`${file} is there already: --force writes over it`);
  const scratch = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(scratch, content, { flag: "wx" });
    renameSync(scratch, file);
  } finally {
    rmSync(scratch, { force: true });
  }
}
