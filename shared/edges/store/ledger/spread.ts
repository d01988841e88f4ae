/**
 * Hours that are spread over partitions: since when an organization has them, who knows it, and how they are read
 * (shared/edges/store/README.md "Spread hours").
 */

import { limits } from "../../../base/limits.ts";
import { type Aws, isOverload } from "../../../base/platform/aws.ts";
import { hourOf } from "../../../books/billing/period.ts";
import type { PlacedRollup } from "../../../books/ledger/ledger.ts";
import { hourParts } from "../../../books/ledger/spread-hours.ts";
import { addSums } from "../../../books/reports/report.ts";
import { type Item, readText, toItem } from "../dynamodb/attributes.ts";
import { absent } from "../dynamodb/expressions.ts";
import { sealKey } from "../dynamodb/item-keys.ts";
import { getItem, updateItem } from "../dynamodb/items.ts";
import { readRollup } from "./postings.ts";

/**
 * Has an organization's hours from `now` (Unix milliseconds) on read as spread, and gives the first hour that is. It
 * stays, whoever says it again.
 */
export async function spreadHours(
  aws: Aws,
  table: string,
  organization: string,
  now: number,
): Promise<string> {
  const since = hourOf(now - limits.sealGraceSeconds * 1000);
  const key = sealKey(organization, "");
  const { item } = await updateItem(aws, {
    ...{ table, key },
    set: toItem({ spread: since }),
    when: [absent("spread")],
  });
  return readText(item?.spread);
}

/**
 * The organizations whose hours are spread, as far as a process has found out. Whatever it adds to such an hour it adds
 * to a part. Events that know nothing of it are no exception, because readers look at all parts.
 */
export class SpreadOrganizations {
  readonly #since = new Map<string, string>();

  /** Whether what is added to an hour of an organization may lie in a part. */
  has(organization: string, hour: string): boolean {
    const since = this.#since.get(organization);
    return since !== undefined && since <= hour;
  }

  /** Has the hours of an organization read as spread, and knows it from then on. Does nothing while its seal is busy. */
  async add(aws: Aws, table: string, organization: string, now: number): Promise<void> {
    if (this.#since.has(organization)) return;
    try {
      const since = await spreadHours(aws, table, organization, now);
      if (this.#since.size >= limits.spreadKnownMax) this.#since.clear();
      this.#since.set(organization, since);
    } catch (error) {
      if (!isOverload(error)) throw error;
    }
  }
}

/** Which parts an hour may have, in the partitions of one organization. */
export type PartsOf = (hour: string) => readonly string[];

/** Behind all hours that there will be. Its parts are those of an organization that has any spread hour. */
export const lastHour = "9999-12-31T23";

/** An hour's own partition, which has no part in its name. */
const whole = [""];
/** The calls of processes that knew an older record are in the first of them. */
const wholeAndParts = [...whole, ...hourParts];

/** Reads where the hours of an organization lie. An hour that may be spread is read whole and in parts. */
export async function partsOfHours(aws: Aws, table: string, organization: string): Promise<PartsOf> {
  const first = await firstSpread(aws, table, organization);
  return (hour) => (first === undefined || hour < first ? whole : wholeAndParts);
}

/** The first hour of an organization that is spread, if any. */
async function firstSpread(aws: Aws, table: string, organization: string): Promise<string | undefined> {
  const since = (await getItem(aws, table, sealKey(organization, "")))?.spread;
  return since && readText(since);
}

/** The first hour of an organization that is spread, and before which hour no other one can be. */
interface Spread {
  first: string | undefined;
  before: string;
}

/**
 * Where the hours of organizations lie, for a reader of many hours. It reads the seal of an organization once for all hours
 * of which that is certain.
 */
export class KnownParts {
  readonly #aws: Aws;
  readonly #table: string;
  readonly #now: () => number;
  readonly #known = new Map<string, Promise<Spread>>();

  constructor(aws: Aws, table: string, now: () => number) {
    this.#aws = aws;
    this.#table = table;
    this.#now = now;
  }

  /** The parts that an hour of an organization may have. */
  async of(organization: string, hour: string): Promise<readonly string[]> {
    const known = this.#known.get(organization);
    let spread = await (known ?? this.#read(organization));
    if (known && hour >= spread.before) spread = await this.#read(organization);
    const { first } = spread;
    return first === undefined || hour < first ? whole : wholeAndParts;
  }

  #read(organization: string): Promise<Spread> {
    // Who spreads hours later begins `sealGraceSeconds` before its own clock, which may be slow by as much again.
    const certain = hourOf(this.#now() - 2 * limits.sealGraceSeconds * 1000);
    const read = firstSpread(this.#aws, this.#table, organization).then((first) => ({
      first,
      before: first === undefined ? certain : lastHour,
    }));
    this.#known.set(organization, read);
    return read;
  }
}

/** The items of several partitions, by their sort keys: from the first, or with `-1` from the last. */
export async function* inOrder(
  partitions: readonly AsyncGenerator<Item>[],
  way: 1 | -1 = 1,
): AsyncGenerator<Item> {
  const [only] = partitions;
  if (only && partitions.length === 1) return yield* only;
  const heads = await Promise.all(partitions.map((each) => each.next()));
  for (;;) {
    const at = nextOf(heads, way);
    const item = heads[at]?.value;
    const partition = partitions[at];
    if (!item || !partition) return;
    yield item;
    heads[at] = await partition.next();
  }
}

/** What the partitions of an hour hold, by sort key. `read` gives it of one part; "" is the hour's own partition. */
export async function* inParts(
  aws: Aws,
  table: string,
  { organization, hour }: { organization: string; hour: string },
  read: (part: string) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const partsOf = await partsOfHours(aws, table, organization);
  yield* inOrder(partsOf(hour).map(read));
}

/** Rollups by their sort keys, those of the parts of an hour as one. */
export async function* wholeRollups(items: AsyncIterable<Item>): AsyncGenerator<PlacedRollup> {
  let last: { sort: string; rollup: PlacedRollup } | undefined;
  for await (const item of items) {
    const sort = readText(item.sk);
    const rollup = readRollup(item);
    if (last?.sort === sort) rollup.sums = addSums(last.rollup.sums, rollup.sums);
    else if (last) yield last.rollup;
    last = { sort, rollup };
  }
  if (last) yield last.rollup;
}

/** Which of the heads comes next; -1 where all partitions have ended. */
function nextOf(heads: readonly IteratorResult<Item>[], way: 1 | -1): number {
  let best = -1;
  let least = "";
  for (const [at, { done, value }] of heads.entries()) {
    if (done) continue;
    const sort = readText(value.sk);
    if (best >= 0 && (way === 1 ? sort >= least : sort <= least)) continue;
    best = at;
    least = sort;
  }
  return best;
}
