/** `operator catalog import`: prices and models of public lists, into a catalog. */
import { readFileSync } from "node:fs";
import { type Additions, hostForms } from "#shared/books/prices/additions.ts";
import { compare } from "#shared/books/prices/drift.ts";
import { type CatalogJson, withPrices } from "#shared/books/prices/import.ts";
import { listFormats } from "#shared/books/prices/list.ts";
import { doubtOfDay } from "#shared/books/prices/list-day.ts";
import { addAll, checkPatterns, judge, sourcesOf } from "#shared/books/prices/many-lists.ts";
import { readAmount } from "#shared/books/prices/numbers.ts";
import { writeCatalog } from "../catalog/write-catalog.ts";
import { catalogOf, matcher, patternsOf } from "./catalog-names.ts";
import {
  type CommandCall,
  type CommandOutcome,
  choice,
  command,
  flag,
  flagOf,
  needed,
  onOff,
} from "./command.ts";
import { onePointPerUsd } from "./lists-file.ts";
import { pairs, pastDay, readList } from "./price-lists.ts";

const importFlags = {
  from: needed(
    flag(
      "FILE",
      "the list: LiteLLM's model_prices_and_context_window.json, models.dev's api.json or genai-prices' data.json",
    ),
  ),
  also: flag(
    "FILES",
    "further lists: which of the first one's prices they have too or otherwise, and what it leaves out",
  ),
  format: choice(listFormats, "whose list it is; seen from the file if not given"),
  "as-of": flagOf("DAY", "the day the list is of; the last day that it names if not given", pastDay),
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
  hosts: choice(
    hostForms,
    "what a row of another maker's model becomes: a channel of it, or a model; channels if not given",
  ),
  agreed: onOff("adds no model whose price only one list has"),
  force: onOff("writes over a file"),
};

export const importList = command({
  words: "catalog import",
  what: "compares the catalog's prices with public lists that you have downloaded",
  more: [
    "It compares the catalog of --catalog, else the one that ships. It writes nothing without --out, and nothing that the check would refuse.",
    "Further lists follow --also, with commas between them. The prices that the catalog has from the first list are compared with theirs, and a price's source says which of them agree. They also tell what the first list leaves out of a new model, such as its name or its day.",
    "--add takes patterns of PROVIDER/NAME, of the list's own names, and of ids. A row becomes a model of its own, or one more channel of the model that has its name. The rows that cannot be added are in not_added, each with its reason, and all others are added.",
  ].join(" "),
  flags: importFlags,
  examples: {
    "--from api.json --model 'openai/*'": "how OpenAI's prices differ",
    "--from api.json --out catalog.json": "a catalog with the list's prices",
    "--from api.json --out catalog.json --add 'openai/*'": "the same, with all that the list has of OpenAI",
    "--from litellm.json --as-of 2026-11-20 --also api.json,data.json --out catalog --add 'groq/*,xai/*' --agreed":
      "the same of two vendors, where two lists agree on the price",
  },
  run: importPrices,
});

async function importPrices(call: CommandCall<typeof importFlags>): Promise<CommandOutcome> {
  const { from, also, out, add, force, ...flags } = call.flags;
  for (const [name, given] of Object.entries({ add, force, agreed: flags.agreed, hosts: flags.hosts })) {
    if (out === undefined && given) throw new Error(`--${name} goes with --out`);
  }
  const { format, source } = flags;
  const read = readList(readFileSync(from, "utf8"), { asOf: flags["as-of"], format, source });
  const { as_of } = read;
  if (as_of === undefined) throw new Error(`${from} names no day: --as-of says of which day it is`);
  const list = { ...read, as_of };
  const names = also?.split(",") ?? [];
  const further = names.map((file) => readList(readFileSync(file, "utf8"), { day: as_of }));
  const { files, catalog } = catalogOf(call);
  const pointsPerUsd = flags["points-per-usd"] ?? onePointPerUsd;
  const { providers = new Map(), model: wanted = () => true } = flags;
  const options = { pointsPerUsd, as_of, providers };
  const compared = [list, ...further].map((each) => compare(catalog, each.models, { ...options, wanted }));
  const [first] = compared;
  if (!first) throw new Error("no list");
  const doubt = doubtOfDay(as_of, list.models, Date.now());
  const summary = { format: list.format, as_of, ...(doubt && { as_of_doubt: doubt }), ...first.drift };
  const json = files.json as unknown as CatalogJson;
  const priced = withPrices(json, catalog, first.prices, sourcesOf(list, first));
  if (add) checkPatterns(add, compared, catalog);
  const all = [list, ...further];
  const made = addAll(priced, compared, all, { ...options, add: add ?? [], hosts: flags.hosts });
  const pricedBy = new Map([...first.prices.keys()].map((id) => [id, list]));
  const judged = judge(made, pricedBy, all, { ...options, agreed: flags.agreed });
  const said = { ...summary, ...(also && { also: judged.agreements }) };
  if (out === undefined) return { value: { ...said, written: null } };
  writeCatalog(out, files, judged.file, force);
  return { value: { ...said, ...reportOf(judged), no_provider: made.no_provider, written: out } };
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
