/** The tables. Infrastructure, the embedded emulator and the store read them from here; this file imports nothing. */

export interface TableSchema {
  /** Every key attribute is a string. */
  partition: string;
  sort: string | null;
  index: { name: string; partition: string; sort: string; projection: "KEYS_ONLY" } | null;
  /** The attribute, Unix seconds, after which DynamoDB may delete the item. */
  expiry: string | null;
  /** Whether its items must never be lost. If not, it has no backups and goes with its stack. */
  kept: boolean;
}

export type TableName = "keys" | "counters" | "ledger" | "tasks" | "accounts" | "board" | "cache";

export const tableSchemas = {
  keys: { partition: "pk", sort: "sk", index: null, expiry: null, kept: true },
  /** Only meter items carry `kind`, so the index holds them and none of the millions of intents. */
  counters: {
    partition: "pk",
    sort: null,
    index: { name: "meters", partition: "kind", sort: "pk", projection: "KEYS_ONLY" },
    expiry: "expires_at",
    kept: true,
  },
  ledger: { partition: "pk", sort: "sk", index: null, expiry: null, kept: true },
  /** Only the parts of a task's request expire. */
  tasks: { partition: "pk", sort: "sk", index: null, expiry: "expires_at", kept: true },
  /** Users, members, sessions, orders and invoices. Only items with something to do at an instant carry `due_kind`. */
  accounts: {
    partition: "pk",
    sort: "sk",
    index: { name: "due", partition: "due_kind", sort: "due_at", projection: "KEYS_ONLY" },
    expiry: "expires_at",
    kept: true,
  },
  /** Health of channels (shared/calls/routing/README.md "The board"). Without it, calls find the catalog's order. */
  board: { partition: "pk", sort: "sk", index: null, expiry: "expires_at", kept: false },
  /**
   * Answers of earlier calls (shared/calls/cache/README.md "Where it is kept"). Without it, every call asks a provider.
   */
  cache: { partition: "pk", sort: "sk", index: null, expiry: "expires_at", kept: false },
} as const satisfies Record<TableName, TableSchema>;

/** The tables that must never be lost. They hold one state between them, and are restored together. */
export const keptTables = ["keys", "counters", "ledger", "tasks", "accounts"] as const satisfies TableName[];
export type KeptTable = (typeof keptTables)[number];
