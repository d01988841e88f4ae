/**
 * Vendors' bills on DynamoDB (shared/books/reports/bills/README.md). They are written once, and never changed. A bill that
 * is withdrawn has a mark beside it.
 */
import type { Aws } from "../../base/platform/aws.ts";
import type {
  BillHead,
  BillLine,
  BillPlace,
  BillRecords,
  BillWithdrawal,
  KeptBill,
} from "../../books/reports/bills/bill.ts";
import { billBounds } from "../../books/reports/bills/bounds.ts";
import {
  billHeadKey,
  billHeadRange,
  billPartition,
  billPartKey,
  billsPartition,
  withdrawnBillKey,
  withdrawnBillsPartition,
} from "./dynamodb/account-keys.ts";
import { type Item, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent } from "./dynamodb/expressions.ts";
import { hashed, readHash } from "./dynamodb/item-hash.ts";
import { everything, readRecord, type TableNames } from "./dynamodb/item-keys.ts";
import { itemsBetween, putItem } from "./dynamodb/items.ts";

/** The bills in these tables. */
export function createBillRecords(aws: Aws, { accounts }: Pick<TableNames, "accounts">): BillRecords {
  return {
    async kept(provider) {
      const range = provider === undefined ? everything : billHeadRange(provider);
      // The marks are read first: a bill whose mark comes later is one that still counts.
      const marks = await itemsBetween(aws, accounts, withdrawnBillsPartition, range);
      const withdrawals = new Map(marks.map((item) => [readText(item.sk), withdrawalOf(item)]));
      const items = await itemsBetween(aws, accounts, billsPartition, range);
      return items.map((item) => keptBillOf(item, withdrawals.get(readText(item.sk))));
    },

    async lines({ id, lines: count }) {
      const items = await itemsBetween(aws, accounts, billPartition(id), everything);
      const lines = items.flatMap((item) => JSON.parse(readText(asWritten(item, id).lines)) as BillLine[]);
      if (lines.length !== count)
        throw new Error(`${id} has ${lines.length} lines of ${count}: ${mending(id)}`);
      return lines;
    },

    async write({ head, lines }) {
      for (const [part, own] of partsOf(lines).entries()) {
        const item = { ...billPartKey(head.id, part), lines: toAttribute(own) };
        // An import that was broken off may have left them. Nobody has read them, since there is no head.
        await putItem(aws, accounts, hashed(item).item, []);
      }
      const item = { ...billHeadKey(head.provider, head.id), ...toItem(head) };
      return (await putItem(aws, accounts, hashed(item).item, [absent("pk")])).done;
    },

    async find(id) {
      const items = await itemsBetween(aws, accounts, billsPartition, everything);
      return items.map(placeOf).find((place) => place.id === id);
    },

    async withdraw(withdrawal) {
      const { provider, id } = withdrawal;
      const item = { ...withdrawnBillKey(provider, id), ...toItem(withdrawal) };
      const written = await putItem(aws, accounts, hashed(item).item, [absent("pk")]);
      const before = !written.done && written.item;
      return { done: written.done, withdrawal: before ? withdrawalOf(before) : withdrawal };
    },
  };
}

/** A provider's name may have the sign that separates it from the id. The id has none. */
function placeOf({ sk }: Item): BillPlace {
  const text = readText(sk);
  const at = text.lastIndexOf("#");
  return { provider: text.slice(0, at), id: text.slice(at + 1) };
}

function keptBillOf(item: Item, withdrawal: BillWithdrawal | undefined): KeptBill {
  const place = placeOf(item);
  if (withdrawal && !isAsWritten(item)) return { ...place, head: undefined, withdrawal };
  return { ...place, head: readRecord<BillHead>(asWritten(item, place.id)), withdrawal };
}

function withdrawalOf(item: Item): BillWithdrawal {
  if (!isAsWritten(item)) throw new Error(`${nameOf(item)} is not as it was written: restore the table`);
  return readRecord<BillWithdrawal>(readHash(item).item);
}

/** The lines as texts of JSON, as many to a part as an item takes. */
function partsOf(lines: readonly BillLine[]): string[] {
  const { linesPerItemMax, partBytesMax } = billBounds;
  const parts: string[][] = [];
  let bytes = 0;
  for (const line of lines) {
    const text = JSON.stringify(line);
    const own = Buffer.byteLength(text) + 1;
    const last = parts.at(-1);
    if (last && last.length < linesPerItemMax && bytes + own <= partBytesMax) {
      last.push(text);
      bytes += own;
    } else {
      parts.push([text]);
      bytes = own;
    }
  }
  return parts.map((part) => `[${part.join()}]`);
}

function isAsWritten(item: Item): boolean {
  const { hash, isRight } = readHash(item);
  return hash !== undefined && isRight;
}

/** An item of a bill without its hash. Throws where somebody has changed it. */
function asWritten(item: Item, bill: string): Item {
  if (!isAsWritten(item)) throw new Error(`${nameOf(item)} is not as it was imported: ${mending(bill)}`);
  return readHash(item).item;
}

function nameOf({ pk, sk }: Item): string {
  return `${readText(pk)} ${readText(sk)}`;
}

/** What to do about a bill that is damaged. */
function mending(bill: string): string {
  return `restore the table, or run operator bills withdraw ${bill} --reason TEXT, and import its file again`;
}
