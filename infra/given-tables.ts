/**
 * The names of tables that a stage uses and did not create. They were restored, or a stack that was deleted left them
 * (infra/restore.md "Tables by name").
 */
import { type KeptTable, keptTables } from "#shared/store/dynamodb/table-schema.ts";

/** The name of each table that is kept. What the four hold belongs together, so a stage names all of them or none. */
export type GivenTables = Record<KeptTable, string>;

/** Throws `RangeError` where two of the tables are the same one, which no schema of JSON can say. */
export function checkTables(tables: GivenTables): void {
  const names = keptTables.map((table) => tables[table]);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new RangeError(`tables: ${twice} is named twice`);
}
