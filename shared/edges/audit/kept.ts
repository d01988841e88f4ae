/** What the audit reads item by item: entries with the hash that they carry, and other items as they are stored. */

import { AwsError } from "../../base/platform/aws.ts";
import type { Entry, PlacedRollup, RollupOwner } from "../../books/ledger/ledger.ts";
import { firstOf } from "./dead-letters.ts";
import { kindOf } from "./ties/ties.ts";

/** An entry as it lies in the ledger. */
export interface KeptEntry {
  /** Undefined where the item cannot be read. */
  entry: Entry | undefined;
  /** The partition's organization, UTC hour and part of it, and the sort key. The hour of credits and fees is `$`. */
  organization: string;
  hour: string;
  part: string;
  sort: string;
  /** The hash that it carries; undefined on entries from before there were hashes. */
  hash: bigint | undefined;
  /** Whether that is the hash of what the item says. */
  isAsHashed: boolean;
}

/** The rollup of an hour, with the sum of the hashes of its entries. */
export interface HourRollup extends PlacedRollup {
  hash: bigint;
}

/** An item of a table, with its attributes as values. Undefined fields: they cannot be read. */
export interface KeptItem {
  pk: string;
  sk: string;
  fields: Readonly<Record<string, unknown>> | undefined;
  /** Whether the hash in its `h`, if there is one, is that of all that the item says. Only lines of the audit log have such. */
  isAsHashed: boolean;
}

type ScannedTable = "keys" | "tasks" | "accounts";

/** The books item by item. The store implements it. Every read is strongly consistent. */
export interface KeptBooks {
  /** All entries in order, or those behind a cursor's key. `meet` hears of the places whose rollups lie between. */
  entries(after?: string, meet?: (place: RollupOwner) => void): AsyncIterable<KeptEntry & { cursor: string }>;
  /** The entries of an hour, or with `$` the credits and fees. */
  entriesOf(organization: string, hour: string): AsyncIterable<KeptEntry>;
  /** The sum of the hashes of an organization's payments of plans and plan fees, as its seal has it. */
  moneyHash(organization: string): Promise<bigint>;
  hourOf(organization: string, project: string, hour: string): Promise<HourRollup[]>;
  /** The hash of facts, as other items keep it. */
  hashOf(facts: object): Uint8Array;
  items(table: ScannedTable): AsyncIterable<KeptItem>;
}

/** The items of some kinds, by kind. Those that cannot be read are apart. */
export interface Sorted {
  of(kind: string): readonly KeptItem[];
  unreadable: readonly string[];
}

/** Reads the items of a table that are of these kinds. */
export async function sortItems(
  books: KeptBooks,
  table: ScannedTable,
  kinds: readonly string[],
): Promise<Sorted> {
  const found = new Map<string, KeptItem[]>(kinds.map((kind) => [kind, []]));
  const unreadable: string[] = [];
  for await (const item of books.items(table)) {
    const own = found.get(kindOf(table, item.pk, item.sk)?.[0] ?? "");
    if (!own) continue;
    if (item.fields) own.push(item);
    else unreadable.push(`${item.pk} ${item.sk} cannot be read`);
  }
  return { of: (kind) => found.get(kind) ?? [], unreadable };
}

/** What a check finds on one item. What it cannot read is found too. */
export function found(name: string, check: () => readonly string[]): string[] {
  try {
    return check().map((wrong) => `${name} ${wrong}`);
  } catch (error) {
    return [`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** The same of a check that reads. What AWS refuses else says nothing about the item, so it is thrown. */
export async function foundIn(name: string, check: () => Promise<readonly string[]>): Promise<string[]> {
  try {
    return (await check()).map((wrong) => `${name} ${wrong}`);
  } catch (error) {
    if (!isOfItem(error)) throw error;
    return [`${name} cannot be read: ${error.message}`];
  }
}

/** What cannot be read on the way of something that is done. */
export async function unreadIn(name: string, act: () => Promise<unknown>): Promise<string[]> {
  return await foundIn(name, async () => {
    await act();
    return [];
  });
}

/** What a reader throws that meets a value of another type, and what AWS says to a key that is made of such a value. */
function isOfItem(error: unknown): error is Error {
  const isKey = error instanceof AwsError && error.code === "ValidationException";
  return isKey || error instanceof SyntaxError || error instanceof RangeError || error instanceof TypeError;
}

/** Names the fields that differ from what they must be. */
export function differences(is: object, must: object): string[] {
  const own = is as Readonly<Record<string, unknown>>;
  return Object.entries(must).flatMap(([field, value]) => {
    const [had, wanted] = [told(own[field]), told(value)];
    return had === wanted ? [] : [`has the ${field} ${had}, not ${wanted}`];
  });
}

/** A value as text. The members of a record have no order. */
export function told(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value ?? "none");
  if (Array.isArray(value)) return `[${value.map(told).join()}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${name}: ${told(member)}`).join()}}`;
}

/** What is so where a sum of hashes differs. Entries without one are older, or have lost it. */
export function goneOrBare(bare: readonly string[]): string {
  const without = bare.length === 0 ? "" : ` (without one: ${firstOf([...bare])})`;
  return `has gone, has come, or has lost its h${without}`;
}

/** Whether a hash is that of facts. Without one nothing is known: the item is older than hashes. */
export function isHashOf(hash: unknown, facts: object, { hashOf }: Pick<KeptBooks, "hashOf">): boolean {
  return hash === undefined || (hash instanceof Uint8Array && Buffer.from(hash).equals(hashOf(facts)));
}

/** Gaps as a finding has them, and its detail. */
export function finding(gaps: readonly string[], detail: string): { gaps: string[]; detail: string } {
  return { gaps: [...gaps], detail };
}
