/** Vendors' bills on DynamoDB (shared/books/reports/bills/README.md). They are written once, and never changed. */
import type { Aws } from "../../base/platform/aws.ts";
import type { BillHead, BillLine, BillRecords } from "../../books/reports/bills/bill.ts";
import { billBounds } from "../../books/reports/bills/bounds.ts";
import {
  billHeadKey,
  billHeadRange,
  billPartition,
  billPartKey,
  billsPartition,
} from "./dynamodb/account-keys.ts";
import { type Item, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent } from "./dynamodb/expressions.ts";
import { hashed, readHash } from "./dynamodb/item-hash.ts";
import { everything, readRecord, type TableNames } from "./dynamodb/item-keys.ts";
import { itemsBetween, putItem } from "./dynamodb/items.ts";

/** The bills in these tables. */
export function createBillRecords(aws: Aws, { accounts }: Pick<TableNames, "accounts">): BillRecords {
  return {
    async heads(provider) {
      const range = provider === undefined ? everything : billHeadRange(provider);
      const items = await itemsBetween(aws, accounts, billsPartition, range);
      return items.map((item) => readRecord<BillHead>(asWritten(item)));
    },

    async lines({ id, lines: count }) {
      const items = await itemsBetween(aws, accounts, billPartition(id), everything);
      const lines = items.flatMap((item) => JSON.parse(readText(asWritten(item).lines)) as BillLine[]);
      if (lines.length !== count)
        throw new Error(
          `${id} has ${lines.length} lines of ${count}: restore the table, or import its file again`,
        );
      return lines;
    },

    async write({ head, lines }) {
      for (const [part, own] of partsOf(lines).entries()) {
        const item = { ...billPartKey(head.id, part), lines: toAttribute(JSON.stringify(own)) };
        // An import that was broken off may have left them. Nobody has read them, since there is no head.
        await putItem(aws, accounts, hashed(item).item, []);
      }
      const item = { ...billHeadKey(head.provider, head.id), ...toItem(head) };
      return (await putItem(aws, accounts, hashed(item).item, [absent("pk")])).done;
    },
  };
}

function partsOf(lines: readonly BillLine[]): BillLine[][] {
  const { linesPerItemMax: most } = billBounds;
  return Array.from({ length: Math.ceil(lines.length / most) }, (_, part) =>
    lines.slice(part * most, (part + 1) * most),
  );
}

/** An item without its hash. Throws where somebody has changed it. */
function asWritten(item: Item): Item {
  const { item: written, hash, isRight } = readHash(item);
  if (hash === undefined || !isRight)
    throw new Error(`${readText(item.pk)} ${readText(item.sk)} is not as it was imported: restore the table`);
  return written;
}
