/** `operator catalog sync`: the import of what a file declares, again. */
import type { CatalogJson } from "#shared/books/prices/import.ts";
import type { DatedList } from "#shared/books/prices/many-lists.ts";
import { syncWith } from "#shared/books/prices/sync.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import { checkWhole, partsOf, writeChanged } from "../catalog/write-catalog.ts";
import { catalogOf } from "./catalog-names.ts";
import { type CommandCall, type CommandOutcome, command, flag, flagOf, onOff } from "./command.ts";
import { type ListImport, listsFileOf, readListsFile } from "./lists-file.ts";
import { listText, pairs, pastDay, readList } from "./price-lists.ts";

const syncFlags = {
  lists: flag("FILE", "what to import; lists.json beside the catalog if not given"),
  from: flagOf("NAME=PLACE,…", "reads these lists from other places than the file says", (text, name) =>
    pairs(text, name, "NAME=PLACE"),
  ),
  "as-of": flagOf("DAY", "the day of the first list; the last day that it names if not given", pastDay),
  write: onOff("writes what changes into the catalog's own files"),
};

export const syncLists = command({
  words: "catalog sync",
  what: "imports again what lists.json declares, and shows what has changed side by side",
  more: [
    "It reads the lists of the file, and gives each model the price of the first list that has it. Models whose price_source has words of a person are pinned: nothing of them changes.",
    "It writes nothing without --write, and nothing that the check would refuse. It exits with 3 where something differs, and with 0 where nothing does.",
  ].join(" "),
  flags: syncFlags,
  examples: {
    "--as-of 2026-11-28": "what lists that were downloaded on that day change",
    "--from litellm=litellm.json --as-of 2026-11-20 --write": "the same of a file, written",
  },
  run: sync,
});

async function sync(call: CommandCall<typeof syncFlags>): Promise<CommandOutcome> {
  const { catalogFile = defaultCatalog, flags } = call;
  const declared = readListsFile(flags.lists ?? listsFileOf(catalogFile));
  const { files } = catalogOf(call);
  checkWhole(files);
  checkVendors(declared, files.json.providers);
  const lists = await readLists(declared, flags.from ?? new Map(), flags["as-of"]);
  const json = files.json as unknown as CatalogJson;
  const { file, report } = syncWith(json, lists, declared);
  const changed = partsOf(files, file).filter(
    ({ json: now }, index) => !isSame(now, files.parts[index]?.json),
  );
  const names = changed.map((part) => part.file);
  if (flags.write) writeChanged(changed, file);
  const value = { ...report, files: names, written: flags.write && names.length > 0 };
  return { value, ok: true, differs: names.length > 0 };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Throws for a vendor that is no provider of the catalog: its rows would be looked for in vain. */
function checkVendors({ wanted }: ListImport, providers: unknown): void {
  const strange = [...wanted.keys()].filter((vendor) => !Object.hasOwn(providers as object, vendor));
  if (strange.length > 0) throw new Error(`vendors: the catalog has no provider ${strange.join(", ")}`);
}

/** The lists, each with its day. The first one's is `asOf`, if that is given. */
async function readLists(
  { lists }: ListImport,
  elsewhere: ReadonlyMap<string, string>,
  asOf: string | undefined,
): Promise<DatedList[]> {
  const unknown = [...elsewhere.keys()].filter((name) => !lists.some((list) => list.name === name));
  if (unknown.length > 0) throw new Error(`--from: the file declares no list ${unknown.join(", ")}`);
  const texts = await Promise.all(lists.map(({ name, from }) => listText(elsewhere.get(name) ?? from)));
  let day = asOf;
  return texts.map((text, index) => {
    const format = lists[index]?.name;
    const list = readList(text, { asOf: index === 0 ? asOf : undefined, format, day });
    const { as_of } = list;
    if (as_of === undefined)
      throw new Error(`${format} names no day: --as-of says of which day the first list is`);
    day ??= as_of;
    return { ...list, as_of };
  });
}
