/**
 * DynamoDB's own JSON. Numbers and bigints are written as `N`; a number that JavaScript cannot hold exactly
 * is only ever read with `readBigint`, so money never passes through a float.
 */

export type Attribute =
  | { S: string }
  | { N: string }
  | { B: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: Attribute[] }
  | { M: Item };

export type Item = { [name: string]: Attribute };

/**
 * A value as an attribute. What clients write is checked at the edge. Half of a surrogate pair that got here all the
 * same, from a provider say, is replaced: DynamoDB would refuse the whole write for it. Throws `TypeError` on what has
 * no JSON form, and on numbers that are not finite.
 */
export function toAttribute(value: unknown): Attribute {
  if (typeof value === "string") return { S: value.toWellFormed() };
  if (typeof value === "bigint" || Number.isFinite(value)) return { N: String(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (Buffer.isBuffer(value)) return { B: value.toString("base64") };
  if (value === null) return { NULL: true };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === "object") return { M: toItem(value) };
  throw new TypeError(`no attribute holds ${String(value)}`);
}

/** An object as an item or map; fields that are undefined are left out. */
export function toItem(fields: object): Item {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, toAttribute(value)]));
}

/** The value of an attribute. Throws `RangeError` on a number that JavaScript would change. */
export function fromAttribute(attribute: Attribute): unknown {
  if ("S" in attribute) return attribute.S;
  if ("N" in attribute) return exactNumber(attribute.N);
  if ("B" in attribute) return Buffer.from(attribute.B, "base64");
  if ("BOOL" in attribute) return attribute.BOOL;
  if ("NULL" in attribute) return null;
  if ("L" in attribute) return attribute.L.map(fromAttribute);
  return fromItem(attribute.M);
}

/** The fields of an item or map, as `toItem` took them. */
export function fromItem(item: Item): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([name, attribute]) => [name, fromAttribute(attribute)]),
  );
}

/** An integer attribute, exactly; 0 where it is absent. Throws `SyntaxError` on anything but an integer. */
export function readBigint(attribute: Attribute | undefined): bigint {
  if (attribute === undefined) return 0n;
  return BigInt("N" in attribute ? attribute.N : "not a number");
}

/** A binary attribute, undefined where it is absent. */
export function readBytes(attribute: Attribute | undefined): Buffer | undefined {
  return attribute && "B" in attribute ? Buffer.from(attribute.B, "base64") : undefined;
}

/** A text attribute, "" where it is absent. */
export function readText(attribute: Attribute | undefined): string {
  return attribute && "S" in attribute ? attribute.S : "";
}

function exactNumber(text: string): number {
  const value = Number(text);
  if (String(value) !== text) throw new RangeError(`not exact as a number: ${text}`);
  return value;
}
