/** A Parquet file is read back by another library, with every digit. */
import { type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { parquetOf } from "#infra/operator/parquet.ts";
import { formatPoints } from "#shared/books/billing/points.ts";

const columns = { name: "text", entries: "integer", points: "points" } as const;
const rows = [
  { name: "customer:org_1", entries: 3, points: "12345678901234567.000000000000000001" },
  { name: '智谱, "a"\n', entries: 9007199254740991, points: "-0.5" },
  { name: "", entries: 0, points: "0" },
];

test("texts, counts and points come back as they were", async () => {
  const bytes = await parquetOf(rows, columns);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = await parquetMetadataAsync(file);
  expect(metadata.schema.slice(1)).toMatchObject([
    { name: "name", converted_type: "UTF8" },
    { name: "entries", type: "INT64" },
    { name: "points", converted_type: "DECIMAL", precision: 38, scale: 18 },
  ]);
  const read = await parquetReadObjects({ file, metadata: withoutDecimals(metadata) });
  expect(read.map(({ points, ...rest }) => ({ ...rest, points: formatPoints(wholeOf(points)) }))).toEqual(
    rows.map((row) => ({ ...row, entries: BigInt(row.entries) })),
  );
});

/** The reader would make a float of a decimal. Without its type, the bytes come as they are. */
function withoutDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map(({ converted_type, logical_type, scale, precision, ...element }) =>
    element.name === "points" ? element : { ...element, ...(converted_type && { converted_type }) },
  );
  return { ...metadata, schema };
}

/** The whole number of 16 bytes, two's complement, the highest byte first. */
function wholeOf(bytes: Uint8Array): bigint {
  expect(bytes).toHaveLength(16);
  return BigInt.asIntN(128, BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
}

test("no rows make a file too", async () => {
  const bytes = await parquetOf([], columns);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  expect(await parquetReadObjects({ file })).toEqual([]);
});
