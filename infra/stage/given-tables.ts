/** Tables that a stage uses and did not create (infra/operator/restore.md "Tables by name"). */
import { type KeptTable, keptTables } from "#shared/edges/store/dynamodb/table-schema.ts";

/** The name of each table that is kept. */
export type KeptTables = Record<KeptTable, string>;

/**
 * The tables of a stage's file. What they hold belongs together, so a stage names all of them or none. Only `accounts`
 * may be left out, because stages named the other four before it was there. The stack then has one of its own.
 */
export type GivenTables = Omit<KeptTables, "accounts"> & Partial<Pick<KeptTables, "accounts">>;

/** Throws `RangeError` where two of the tables are the same one, which no schema of JSON can say. */
export function checkTables(tables: GivenTables): void {
  const names = keptTables.flatMap((table) => tables[table] ?? []);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new RangeError(`tables: ${twice} is named twice`);
}
