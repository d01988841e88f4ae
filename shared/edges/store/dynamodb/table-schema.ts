/** The tables. Infrastructure, the embedded emulator and the store read them from here; this file imports nothing. */

export interface TableIndex {
  partition: string;
  sort: string;
  projection: "KEYS_ONLY";
}

export interface TableSchema {
  /** Every key attribute is a string. */
  partition: string;
  sort: string | null;
  /** By their names. An item without the attributes of an index is not in it. */
  indexes: Readonly<Record<string, TableIndex>>;
  /** The attribute, Unix seconds, after which DynamoDB may delete the item. */
  expiry: string | null;
  /** Whether its items must never be lost. If not, it has no backups and goes with its stack. */
  kept: boolean;
}

export type TableName = "keys" | "counters" | "ledger" | "tasks" | "accounts" | "board" | "cache";

export const tableSchemas = {
  keys: { partition: "pk", sort: "sk", indexes: {}, expiry: null, kept: true },
  /**
   * Only meter items carry `kind`, so the index holds them and none of the millions of intents. Those that may have
   * calls in flight carry `mark` (shared/edges/store/README.md "Marks").
   */
  counters: {
    partition: "pk",
    sort: null,
    indexes: {
      meters: { partition: "kind", sort: "pk", projection: "KEYS_ONLY" },
      marked: { partition: "mark", sort: "marked", projection: "KEYS_ONLY" },
    },
    expiry: "expires_at",
    kept: true,
  },
  ledger: { partition: "pk", sort: "sk", indexes: {}, expiry: null, kept: true },
  /** Only the parts of a task's request expire. */
  tasks: { partition: "pk", sort: "sk", indexes: {}, expiry: "expires_at", kept: true },
  /** Users, members, sessions, orders and invoices. Only items with something to do at an instant carry `due_kind`. */
  accounts: {
    partition: "pk",
    sort: "sk",
    indexes: { due: { partition: "due_kind", sort: "due_at", projection: "KEYS_ONLY" } },
    expiry: "expires_at",
    kept: true,
  },
  /** Health of channels (shared/calls/routing/README.md "The board"). Without it, calls find the catalog's order. */
  board: { partition: "pk", sort: "sk", indexes: {}, expiry: "expires_at", kept: false },
  /**
   * Answers of earlier calls (shared/calls/cache/README.md "Where it is kept"). Without it, every call asks a provider.
   */
  cache: { partition: "pk", sort: "sk", indexes: {}, expiry: "expires_at", kept: false },
} as const satisfies Record<TableName, TableSchema>;

/** The tables that must never be lost. They hold one state between them, and are restored together. */
export const keptTables = ["keys", "counters", "ledger", "tasks", "accounts"] as const satisfies TableName[];
export type KeptTable = (typeof keptTables)[number];

/** The name of an index, which only a declared one can be. */
export function indexName<Table extends TableName>(
  _table: Table,
  name: keyof (typeof tableSchemas)[Table]["indexes"] & string,
): string {
  return name;
}
