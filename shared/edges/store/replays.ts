/**
 * Idempotency keys. A short answer stands in the key's record below one write unit, so a repetition costs one at most.
 */

import { limits } from "../../base/limits.ts";
import type { Aws } from "../../base/platform/aws.ts";
import { timeOf } from "../../base/platform/id.ts";
import type { ReplayRecord, Replays } from "../../calls/access/replays.ts";
import { type Item, readBytes, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absentOrBelow, equals } from "./dynamodb/expressions.ts";
import { replayAnswerKey, replayKey, type TableNames } from "./dynamodb/item-keys.ts";
import { getItem, putItem } from "./dynamodb/items.ts";

/** The keys in a table of counters. */
export function createReplays(aws: Aws, { counters: table }: Pick<TableNames, "counters">): Replays {
  return {
    async claim(scope, record, now, instead) {
      const free =
        instead === undefined ? absentOrBelow("until", now) : equals("request", toAttribute(instead));
      const { done, item } = await putItem(aws, table, itemOf(scope, record), [free]);
      const holder = done || !item ? record : readRecord(item);
      // A record of our own that is there already is this very claim, whose first answer was lost.
      return holder.request === record.request ? undefined : holder;
    },

    async conclude(scope, record) {
      const ours = equals("request", toAttribute(record.request));
      await putItem(aws, table, itemOf(scope, record), [ours]);
    },

    async holder(scope) {
      const item = await getItem(aws, table, replayKey(scope));
      return item && readRecord(item).request;
    },

    async keep(request, answer) {
      const item = { ...replayAnswerKey(request), ...toItem({ answer, expires_at: expiry(request) }) };
      await putItem(aws, table, item, []);
    },

    async answer(request) {
      return readBytes((await getItem(aws, table, replayAnswerKey(request)))?.answer);
    },
  };
}

function itemOf(scope: string, record: ReplayRecord): Item {
  // DynamoDB forgets late, up to days, so the record says itself until when it counts.
  const until = record.state === "released" ? 0 : expiry(record.request) * 1000;
  return { ...replayKey(scope), ...toItem({ ...record, until, expires_at: expiry(record.request) }) };
}

function readRecord(item: Item): ReplayRecord {
  const answer = readBytes(item.answer);
  return {
    request: readText(item.request),
    fingerprint: readText(item.fingerprint),
    state: readText(item.state) as ReplayRecord["state"],
    ...(answer && { answer }),
  };
}

/** Unix seconds. */
function expiry(request: string): number {
  return Math.floor(timeOf(request) / 1000) + limits.idempotencySeconds;
}
