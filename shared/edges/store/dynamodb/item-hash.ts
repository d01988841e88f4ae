/** The hash of what an item says, with its key: its reader sees a change (edges/audit/README.md "Hashes"). */
import { createHash } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { Bytes } from "../../../base/platform/aws.ts";
import { type Item, readBytes, toItem } from "./attributes.ts";

/** The attribute that has the hash. The name is short, because entries nearly fill a write unit. */
const name = "h";
/** 64 bits: two items that differ have the same hash once in 10¹⁹. */
const bytes = 8;

/** The item with its hash, and the hash as a number. */
export function hashed(item: Item): { item: Item; hash: bigint } {
  const digest = digestOf(item);
  return { item: { ...item, [name]: { B: new Bytes(digest) } }, hash: digest.readBigUInt64BE() };
}

/** An item without its hash; the hash that it carries, if it does; and whether that is the hash of what it says. */
export function readHash({ [name]: kept, ...item }: Item): { item: Item; hash?: bigint; isRight: boolean } {
  const digest = readBytes(kept);
  if (digest?.length !== bytes) return { item, isRight: kept === undefined };
  return { item, hash: digest.readBigUInt64BE(), isRight: digest.equals(digestOf(item)) };
}

/** The hash of facts, for an attribute of another item than the one that has them. */
export function hashOf(facts: object): Uint8Array {
  return new Bytes(digestOf(toItem(facts)));
}

function digestOf(item: Item): Buffer {
  return createHash("sha256")
    .update(canonical({ M: item }))
    .digest()
    .subarray(0, bytes);
}

/** An attribute as text. DynamoDB keeps neither the order of a map nor the spelling of a number. */
function canonical(attribute: AttributeValue): string {
  if (attribute.S !== undefined) return JSON.stringify(attribute.S);
  if (attribute.N !== undefined) return canonicalNumber(attribute.N);
  if (attribute.L !== undefined) return `[${attribute.L.map(canonical).join()}]`;
  if (attribute.M === undefined) return JSON.stringify(attribute);
  const map = attribute.M;
  const members = Object.keys(map)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(map[key] as AttributeValue)}`);
  return `{${members.join()}}`;
}

/** A number as JavaScript spells it, or digit by digit where JavaScript cannot hold all of its digits. */
function canonicalNumber(text: string): string {
  const short = String(Number(text));
  if (short === text) return text;
  const exact = digitsOf(text);
  return digitsOf(short) === exact ? short : exact;
}

/** The digits of a decimal and the power of ten of the last one: `-12.50` and `-1.25E1` are both `-125e-1`. */
function digitsOf(text: string): string {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  let digits = BigInt(whole + fraction);
  if (digits === 0n) return "0";
  let last = Number(power) - fraction.length;
  for (; digits % 10n === 0n; last++) digits /= 10n;
  return `${digits}e${last}`;
}
