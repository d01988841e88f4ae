/**
 * Refused calls (shared/books/reports/README.md "Refused calls"): an item for ten seconds of an organization, so an id
 * finds its call and a flood fills one item.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { isErrorKey } from "../../base/errors.ts";
import type { Aws } from "../../base/platform/aws.ts";
import { isId, timeOf } from "../../base/platform/id.ts";
import { refusedBounds } from "../../calls/access/bounds.ts";
import { type RefusedCall, type RefusedCalls, refusedSlot } from "../../calls/access/refused-calls.ts";
import { fromAttribute, type Item, toAttribute } from "./dynamodb/attributes.ts";
import { refusedKey, refusedPartition, refusedSort } from "./dynamodb/cache-keys.ts";
import { absentOrBelow } from "./dynamodb/expressions.ts";
import type { TableNames } from "./dynamodb/item-keys.ts";
import { changeItem, eachBefore, getItem } from "./dynamodb/items.ts";

const keptMs = refusedBounds.days * 86_400_000;
/** How many items one request reads. */
const itemsAtOnce = 50;

/** What an attribute has: the names of its members would be most of it. */
type KeptRefusal = [
  error: string,
  key: string,
  project: string,
  model: string,
  path: string,
  message: string,
];

/** The refused calls in a table. Give a client that asks once: a repetition would count twice. */
export function createRefusedCalls(aws: Aws, { cache: table }: Pick<TableNames, "cache">): RefusedCalls {
  return {
    async add(call) {
      const slot = refusedSlot(timeOf(call.request));
      return await changeItem(aws, {
        table,
        key: refusedKey(call.organization, slot),
        set: {
          // Its attribute is named by its id.
          [call.request]: toAttribute(keptOf(call)),
          expires_at: toAttribute(Math.ceil((slot + keptMs) / 1000)),
        },
        add: { n: 1 },
        when: [absentOrBelow("n", refusedBounds.callsMax)],
      });
    },

    async find(organization, request) {
      const item = await getItem(aws, table, refusedKey(organization, refusedSlot(timeOf(request))));
      return item && callsOf(organization, item).find((call) => call.request === request);
    },

    async *newest(organization, from, to) {
      const range = { first: refusedSort(refusedSlot(from)), last: refusedSort(to + refusedBounds.slotMs) };
      for await (const item of eachBefore(aws, table, refusedPartition(organization), range, itemsAtOnce)) {
        yield* callsOf(organization, item).filter(({ request }) => isWithin(timeOf(request), from, to));
      }
    },
  };
}

function isWithin(at: number, from: number, to: number): boolean {
  return at >= from && at < to;
}

function keptOf({ error, key, project, model, path, message }: RefusedCall): KeptRefusal {
  return [error, key, project, model ?? "", path, (message ?? "").slice(0, refusedBounds.messageCharsMax)];
}

/** The calls of an item, the newest first. What a later version wrote in another way is left out. */
function callsOf(organization: string, item: Item): RefusedCall[] {
  const requests = Object.keys(item).filter((name) => isId(name, "request"));
  return requests
    .sort()
    .reverse()
    .flatMap((request) => {
      const attribute = item[request] as AttributeValue;
      const [error, key, project, model, path, message] = fromAttribute(attribute) as KeptRefusal;
      if (!isErrorKey(error)) return [];
      const call = { request, organization, project, key, model: model || null, path, error };
      return [message === "" ? call : { ...call, message }];
    });
}
