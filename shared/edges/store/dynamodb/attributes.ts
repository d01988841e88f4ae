/**
 * DynamoDB's attributes. `readBigint` reads each number that JavaScript cannot hold exactly, so money is never a float.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { Bytes } from "../../../base/platform/aws.ts";

export type Item = Record<string, AttributeValue>;

/**
 * A value as an attribute. Half of a surrogate pair is replaced, or DynamoDB would refuse the write: providers can send
 * one. Throws `TypeError` on what has no JSON form.
 */
export function toAttribute(value: unknown): AttributeValue {
  if (typeof value === "string") return { S: value.toWellFormed() };
  if (typeof value === "bigint" || Number.isFinite(value)) return { N: String(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: new Bytes(value) };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === "object") return { M: toItem(value) };
  throw new TypeError(`no attribute holds ${String(value)}`);
}

const ownMember = { enumerable: true, configurable: true, writable: true };

/** An object as an item or map; fields that are undefined are left out. */
export function toItem(fields: object): Item {
  const item: Item = {};
  // Without pairs of names and values, which would be most of what a call allocates for its items.
  for (const name in fields) {
    const value = (fields as Record<string, unknown>)[name];
    if (value === undefined) continue;
    // A provider may name a tool so. To assign it would set the item's prototype.
    if (name === "__proto__") Object.defineProperty(item, name, { value: toAttribute(value), ...ownMember });
    else item[name] = toAttribute(value);
  }
  return item;
}

/**
 * Throws `RangeError` on a number that JavaScript would change, and `TypeError` on a set, which nothing here writes.
 */
export function fromAttribute(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return exactNumber(attribute.N);
  if (attribute.B !== undefined) return bufferOf(attribute.B);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL !== undefined) return null;
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.M !== undefined) return fromItem(attribute.M);
  throw new TypeError(`an attribute that is not read here: ${Object.keys(attribute).join()}`);
}

/** The fields of an item or map, as `toItem` took them. */
export function fromItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([name, attribute]) => [name, fromAttribute(attribute)]),
  );
}

/** An integer attribute, exactly; 0 where it is absent. Throws `SyntaxError` on anything but an integer. */
export function readBigint(attribute: AttributeValue | undefined): bigint {
  if (attribute === undefined) return 0n;
  return BigInt(attribute.N ?? "not a number");
}

/** A binary attribute, undefined where it is absent. */
export function readBytes(attribute: AttributeValue | undefined): Buffer | undefined {
  return attribute?.B && bufferOf(attribute.B);
}

/** A text attribute, "" where it is absent. */
export function readText(attribute: AttributeValue | undefined): string {
  return attribute?.S ?? "";
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function exactNumber(text: string): number {
  const value = Number(text);
  if (String(value) !== text) throw new RangeError(`not exact as a number: ${text}`);
  return value;
}

/** Reads an item. If it cannot be read, `tell` hears which attributes are at fault; without `tell` it throws. */
export function readOrTell<Value>(
  item: Item,
  read: (item: Item) => Value,
  tell?: (why: string) => void,
): Value | undefined {
  try {
    return read(item);
  } catch (error) {
    if (!tell) throw error;
    const { pk = { S: "" }, sk = { S: "" }, ...attributes } = item;
    const isWrong = ([name, value]: [string, AttributeValue]) => {
      try {
        read({ pk, sk, [name]: value });
        return false;
      } catch {
        return true;
      }
    };
    const wrong = Object.entries(attributes).filter(isWrong);
    const names = wrong.map(([name]) => name).join(", ") || "key";
    tell(`${`${readText(pk)} ${readText(sk)}`.trim()} cannot be read: its ${names}`);
    return undefined;
  }
}
