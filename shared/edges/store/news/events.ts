/** The stage's event bus, and how far it has been told: one item of the table of accounts. */
import type { Aws } from "../../../base/platform/aws.ts";
import type { EventsPlaceStore, NewsBus } from "../../../people/news/deliver-event.ts";
import { eventsPlaceKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, equals } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { changeItem, getItem, putItem } from "../dynamodb/items.ts";

/** Who says so, as rules ask for it. EventBridge keeps `aws.` for itself. */
const source = "model-gateway";

/** The bus with this ARN. */
export function createNewsBus(aws: Aws, arn: string): NewsBus {
  return {
    async put({ kind, at, body }) {
      const event = {
        ...{ EventBusName: arn, Source: source, DetailType: kind, Detail: body },
        Time: at / 1000,
      };
      const { Entries: [entry] = [] } = await aws("events", "PutEvents", { Entries: [event] });
      // An event that is refused is part of an answer that succeeds.
      if (!entry?.EventId)
        throw new Error(`${entry?.ErrorCode ?? "no answer"}: ${entry?.ErrorMessage ?? ""}`);
    },
  };
}

/** How far the bus has been told, in a table of accounts. */
export function createEventsPlace(
  aws: Aws,
  { accounts: table }: Pick<TableNames, "accounts">,
): EventsPlaceStore {
  const key = eventsPlaceKey();
  return {
    async open(now) {
      const item = await getItem(aws, table, key);
      if (item) return readRecord<{ told_to: number }>(item).told_to;
      // Another run may have put it meanwhile, at almost the same instant.
      await putItem(aws, table, { ...key, ...toItem({ told_to: now }) }, [absent("pk")]);
      return now;
    },

    async move(read, told_to) {
      const when = [equals("told_to", toAttribute(read))];
      await changeItem(aws, { table, key, set: { told_to: toAttribute(told_to) }, when });
    },
  };
}
