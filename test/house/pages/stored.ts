/** The items of the store by table, and how their formats change, as two generated pages show them. */
import { type TableName, type TableSchema, tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { storedOfAccounts } from "./items/accounts.ts";
import { storedOfBills } from "./items/bills.ts";
import { storedOfCloses } from "./items/closes.ts";
import { storedOfKeys } from "./items/keys.ts";
import { storedOfLedger } from "./items/ledger.ts";
import { storedInPassing } from "./items/passing.ts";
import { type Key, type Stored, sampleRequest } from "./items/stored.ts";
import { codes, tableOf } from "./page.ts";

/** Every item of the store. */
export const stored: readonly Stored[] = [
  ...storedOfKeys,
  ...storedOfLedger,
  ...storedOfAccounts,
  ...storedOfBills,
  ...storedOfCloses,
  ...storedInPassing,
];

/** `shared/edges/store/items.md` below its title. */
export function itemsPage(): string {
  const names = Object.keys(tableSchemas) as TableName[];
  return ["## Tables", tables(names), ...names.flatMap((name) => [`## ${name}`, itemsOf(name)])].join("\n\n");
}

function tables(names: readonly TableName[]): string {
  const rows = names.map((name) => {
    const { partition, sort, indexes, expiry, kept }: TableSchema = tableSchemas[name];
    return [
      codes([name]),
      keyOf([partition, ...(sort === null ? [] : [sort])]),
      indexesOf(indexes),
      expiry === null ? "never" : codes([expiry]),
      kept ? "yes" : "no",
    ];
  });
  return tableOf(["Table", "Partition · sort key", "Index", "Expires", "Kept"], rows);
}

function indexesOf(indexes: TableSchema["indexes"]): string {
  const told = Object.entries(indexes).map(
    ([name, index]) => `${codes([name])}: ${codes([index.partition, index.sort])}`,
  );
  return told.length === 0 ? "–" : told.join(" · ");
}

function itemsOf(table: TableName): string {
  const items = stored.filter((each) => each.table === table).flatMap((each) => each.items);
  const rows = items.flatMap(({ what, keys, written }) =>
    written.map(([by, condition], at) =>
      at === 0 ? [what, keys.map(formOf).join(", and "), by, condition] : ["", "", by, condition],
    ),
  );
  return tableOf(["Item", "Key", "Written by", "Condition"], rows);
}

/** `infra/deploy/formats.md` below its title. */
export function formatsPage(): string {
  const rows = stored.map(({ table, what, kept, version = "–", changes }) => [
    codes([table]),
    what,
    kept,
    version,
    changes,
  ]);
  return tableOf(["Table", "Item", "Kept", "Its version", "How it changes"], rows);
}

/** A key with the names of its parts: the sample of a request becomes its name. */
function formOf({ item }: Key): string {
  const bare = sampleRequest.slice(-26);
  const parts = Object.values(item).map(({ S = "" }) => S.replace(bare, "<request>"));
  return keyOf(parts.map((part) => part.replace(/^(L#<org>#)\d.*$/, "$1<hour>")));
}

function keyOf(parts: readonly string[]): string {
  return parts.map((part) => codes([part])).join(" · ");
}
