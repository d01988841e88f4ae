/** Rows as a Parquet file, for warehouses: points are DECIMAL(38, 18), so that no digit is lost. */
import { parsePoints } from "#shared/books/billing/points.ts";

/** How a column is written. */
export type ParquetType = "text" | "integer" | "points";

/** The bytes of a file of these rows. */
export async function parquetOf(
  rows: readonly object[],
  columns: Readonly<Record<string, ParquetType>>,
): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const each = Object.entries(columns);
  const root = { name: "root", num_children: each.length };
  const data = (name: string, type: ParquetType) => rows.map((row) => cellOf(Reflect.get(row, name), type));
  const written = parquetWriteBuffer({
    schema: [root, ...each.map(([name, type]) => elementOf(name, type))],
    columnData: each.map(([name, type]) => ({ name, data: data(name, type) })),
  });
  return new Uint8Array(written);
}

function elementOf(name: string, type: ParquetType) {
  const required = { name, repetition_type: "REQUIRED" as const };
  if (type === "text") return { ...required, type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const };
  if (type === "integer") return { ...required, type: "INT64" as const };
  const decimal = { converted_type: "DECIMAL" as const, precision: 38, scale: 18 };
  return { ...required, type: "FIXED_LEN_BYTE_ARRAY" as const, type_length: 16, ...decimal };
}

function cellOf(value: unknown, type: ParquetType): string | bigint {
  if (type === "points") return parsePoints(String(value));
  return type === "integer" ? BigInt(value as number) : String(value);
}
