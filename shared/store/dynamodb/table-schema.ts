/**
 * The four tables: keys, indexes and expiry. Infrastructure and the embedded emulator create them from
 * here, and the store reads them from here; this file imports nothing.
 */

export interface TableSchema {
  /** Every key attribute is a string. */
  partition: string;
  sort: string | null;
  index: { name: string; partition: string; sort: string; projection: "KEYS_ONLY" } | null;
  /** The attribute, Unix seconds, after which DynamoDB may delete the item. */
  expiry: string | null;
}

export type TableName = "keys" | "counters" | "ledger" | "tasks";

export const tableSchemas = {
  keys: { partition: "pk", sort: "sk", index: null, expiry: null },
  /** Only meter items carry `kind`, so the index holds them and none of the millions of intents. */
  counters: {
    partition: "pk",
    sort: null,
    index: { name: "meters", partition: "kind", sort: "pk", projection: "KEYS_ONLY" },
    expiry: "expires_at",
  },
  ledger: { partition: "pk", sort: "sk", index: null, expiry: null },
  /** Only the parts of a task's request expire. */
  tasks: { partition: "pk", sort: "sk", index: null, expiry: "expires_at" },
} as const satisfies Record<TableName, TableSchema>;
