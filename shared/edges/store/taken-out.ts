/**
 * Channels that operators have taken out, on DynamoDB: the record in the accounts, and its mark on the board of each
 * model (shared/calls/routing/README.md "Taken out by an operator").
 */
import type { Aws } from "../../base/platform/aws.ts";
import { type ChannelRecord, type ChannelRecords, outBy } from "../../calls/routing/taken-out.ts";
import { marked } from "./board.ts";
import { channelRecordKey, channelsPartition } from "./dynamodb/account-keys.ts";
import { type Item, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, absentOrBelow, below, type Change, equals } from "./dynamodb/expressions.ts";
import { everything, readRecord, type TableNames, takenOutKey } from "./dynamodb/item-keys.ts";
import { changeItem, itemsBetween, putItem } from "./dynamodb/items.ts";

/** How long a mark is kept after its channel has returned: no write of an earlier revision is under way by then. */
const markKeptMs = 24 * 3_600_000;

/** The records in these tables. */
export function createChannelRecords(
  aws: Aws,
  { accounts, board }: Pick<TableNames, "accounts" | "board">,
): ChannelRecords {
  return {
    async all() {
      const items = await itemsBetween(aws, accounts, channelsPartition, everything);
      return items.map((item) => readRecord<ChannelRecord>(item));
    },

    async write(record, before) {
      const isSame = before ? equals("revision", toAttribute(before.revision)) : absent("pk");
      const item = { ...channelRecordKey(record.channel), ...toItem(record) };
      return (await putItem(aws, accounts, item, [isSame])).done;
    },

    async show(record, now) {
      const { channel, models } = record;
      await Promise.all(
        models.map((model) =>
          changeItem(aws, { table: board, key: takenOutKey(model, channel), ...markOf(record, now) }),
        ),
      );
    },
  };
}

/** What a mark becomes. Only a channel that is out needs one where there is none. */
function markOf(record: ChannelRecord, now: number): Omit<Change, "table" | "key"> {
  const { revision } = record;
  const out = outBy(record, now);
  const set: Item = { [marked.revision]: toAttribute(revision) };
  if (!out) {
    const remove = [marked.out, marked.until];
    return { set: { ...set, ...expiry(now) }, remove, when: [below(marked.revision, revision)] };
  }
  const when = [absentOrBelow(marked.revision, revision)];
  set[marked.out] = toAttribute(1);
  if (out.until === undefined) return { set, remove: [marked.until, "expires_at"], when };
  return { set: { ...set, [marked.until]: toAttribute(out.until), ...expiry(out.until) }, when };
}

/** DynamoDB may forget a mark some time after this instant. */
function expiry(at: number): Item {
  return { expires_at: toAttribute(Math.floor((at + markKeptMs) / 1000)) };
}
