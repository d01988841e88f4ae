/** What DynamoDB counts for an item: its bytes, and the units of a write. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";

/** Bytes of an item, names and values, as DynamoDB counts them. */
export function bytesOf(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOfValue(value),
    0,
  );
}

function bytesOfValue(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(digitsOf(value.N) / 2) + 1;
  if (value.B !== undefined) return value.B.length;
  if (value.L !== undefined) return value.L.reduce((sum, each) => sum + 1 + bytesOfValue(each), 3);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + bytesOf(value.M);
  return 1;
}

/** Digits of a number that count: zeros at both ends do not. */
function digitsOf(number: string): number {
  return number.replace(/[-.]/g, "").replace(/^0+|0+$/g, "").length;
}

/** Write units of an item of so many bytes. */
export function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024));
}
