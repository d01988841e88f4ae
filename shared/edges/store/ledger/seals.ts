/**
 * Seals on DynamoDB. Late postings and sealers write the seal in the transaction of their rollups, if it is as they
 * read it: neither can miss the other.
 */

import type { Aws } from "../../../base/platform/aws.ts";
import type { Rollup, RollupOwner, Seal } from "../../../books/ledger/ledger.ts";
import { type Item, readBigint, readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, absentOrBelow, type Condition, equals } from "../dynamodb/expressions.ts";
import {
  prefixes,
  rollupKey,
  rollupPartition,
  rollupSorts,
  sealKey,
  type TableNames,
} from "../dynamodb/item-keys.ts";
import { beginningWith, getItem, pages } from "../dynamodb/items.ts";
import { actionsMax, transact, update } from "../dynamodb/transaction.ts";
import { columns, readRollup } from "./postings.ts";
import { lastHour, partsOfHours } from "./spread.ts";

/** The seal of a place, strongly consistent. */
export async function readSeal(
  aws: Aws,
  table: string,
  { organization, project }: RollupOwner,
): Promise<Seal> {
  const item = await getItem(aws, table, sealKey(organization, project));
  return {
    day: readText(item?.day),
    month: readText(item?.month),
    late: Number(readBigint(item?.late)),
  };
}

/** The condition that no day or month was sealed since the seal was read. */
export function sealAsRead({ day, month }: Seal): Condition[] {
  const is = (name: string, span: string) => (span === "" ? absent(name) : equals(name, toAttribute(span)));
  return [is("day", day), is("month", month)];
}

/** The condition that no day or month was sealed and nothing was posted late since the seal was read. */
function quietSince(seal: Seal): Condition[] {
  const none = absentOrBelow("late", 1);
  return [...sealAsRead(seal), seal.late === 0 ? none : equals("late", toAttribute(seal.late))];
}

/** The port of the sealer. Its protocol is `edges/jobs/seal.ts`. */
export interface SealStore {
  /** All organizations, and the projects that their keys name. */
  places(): AsyncIterable<RollupOwner>;
  /** The first hour or day of a place that has a rollup. */
  firstSpan(place: RollupOwner, unit: "hour" | "day"): Promise<string | undefined>;
  /**
   * Writes the rollups of days or months, then seals through that day or month. False where the seal has changed since
   * it was read. What was written by then lies beyond the seal, where nobody reads it or adds to it.
   */
  extend(place: RollupOwner, seal: Seal, rollups: Rollup[], through: Partial<Seal>): Promise<boolean>;
}

/** The seals of a ledger table. Their places come from the table of keys. */
export function createSeals(aws: Aws, tables: Pick<TableNames, "keys" | "ledger">): SealStore {
  const table = tables.ledger;

  return {
    async *places() {
      const seen = new Set<string>();
      const input = {
        TableName: tables.keys,
        FilterExpression: "begins_with(pk, :organization)",
        ExpressionAttributeValues: { ":organization": { S: prefixes.organization } },
      };
      for await (const page of pages(aws, "Scan", input)) {
        for (const place of page.map(readPlace)) {
          const partition = rollupPartition(place.organization, place.project);
          if (!seen.has(partition)) yield place;
          seen.add(partition);
        }
      }
    },

    async firstSpan({ organization, project }, unit) {
      const parts = unit === "hour" ? (await partsOfHours(aws, table, organization))(lastHour) : [""];
      const firsts = await Promise.all(
        parts.map(async (part) => {
          const { Items = [] } = await aws("dynamodb", "Query", {
            TableName: table,
            ConsistentRead: true,
            ...beginningWith(rollupPartition(organization, project, part), rollupSorts[unit]),
            Limit: 1,
          });
          return Items.map((item) => readRollup(item).span);
        }),
      );
      return firsts.flat().sort()[0];
    },

    async extend({ organization, project }, seal, rollups, through) {
      const key = sealKey(organization, project);
      const guard = (set: Item) => update({ table, key, add: { late: 0 }, set, when: quietSince(seal) });
      const writes = rollups.map(({ span, sums, ...share }) =>
        update({ table, key: rollupKey({ organization, project }, span, share), set: toItem(columns(sums)) }),
      );
      while (writes.length >= actionsMax) {
        if (await transact(aws, [guard({}), ...writes.splice(0, actionsMax - 1)])) return false;
      }
      return (await transact(aws, [guard(toItem(through)), ...writes])) === null;
    },
  };
}

/** The place that an item names: an organization's record names no project, a key's record may name one. */
function readPlace(item: Item): RollupOwner {
  const [, organization = ""] = readText(item.pk).split("#");
  return { organization, project: readText(item.project) };
}
