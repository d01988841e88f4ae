/** The semantic level on DynamoDB (store/README.md "cache"). One query reads a context's evidence and pages. */

import { type Aws, ThrottledError } from "../../base/platform/aws.ts";
import { type ContextEvidence, noCounts, noEvidence } from "../../calls/cache/semantic/evidence.ts";
import type {
  ContextPlace,
  EvidenceAddition,
  SemanticStore,
  StoredPage,
} from "../../calls/cache/semantic/store.ts";
import { monthChange } from "./cache-statistics.ts";
import { type Item, readBytes, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import {
  auditKey,
  cachePartition,
  contextSort,
  evidenceKey,
  pageKey,
  readPageSort,
} from "./dynamodb/cache-keys.ts";
import { absent, absentOrAtMost, atLeast, type Change, equals } from "./dynamodb/expressions.ts";
import type { TableNames } from "./dynamodb/item-keys.ts";
import { beginningWith, changeItem, getItem, putItem, updateItem } from "./dynamodb/items.ts";
import { isContention, put, transact, update } from "./dynamodb/transaction.ts";

/** Evidence is forgotten so long after the last call that added to it. A dead letter lives for half of that time. */
const evidenceKeptMs = 30 * 86_400_000;

/** The semantic level in a table. Counts are added without a condition: give a client that asks once. */
export function createSemanticStore(aws: Aws, { cache: table }: Pick<TableNames, "cache">): SemanticStore {
  return {
    async read({ scope, context }) {
      const found: { pages: Map<string, StoredPage>; evidence: ContextEvidence } = {
        pages: new Map(),
        evidence: noEvidence,
      };
      const input = {
        TableName: table,
        ConsistentRead: false,
        ...beginningWith(cachePartition(scope), contextSort(context)),
      };
      const { Items = [] } = await aws("dynamodb", "Query", input);
      for (const item of Items) {
        const page = readPageSort(readText(item.sk), context);
        const stored = pageOf(item);
        if (page === undefined) found.evidence = evidenceOf(item);
        else if (stored) found.pages.set(page, stored);
      }
      return found;
    },

    async readPage({ scope, context }, page) {
      const item = await getItem(aws, table, pageKey(scope, context, page));
      return item && pageOf(item);
    },

    async putPage({ scope, context }, page, { bytes, version, until }) {
      const item = {
        ...pageKey(scope, context, page),
        ...toItem({ bytes, version: version + 1, expires_at: Math.ceil(until / 1000) }),
      };
      const when = version === 0 ? absent("pk") : equals("version", toAttribute(version));
      return (await putItem(aws, table, item, [when])).done;
    },

    async count(place, added, now) {
      const [{ item }] = await Promise.all([
        updateItem(aws, evidenceChange(table, place, added, now)),
        changeItem(aws, monthChange(table, { owner: place, added, at: now })),
      ]);
      return evidenceOf(item ?? {});
    },

    async countAudit(place, { request, verdict }, now) {
      const mark = { verdict, expires_at: Math.ceil((now + evidenceKeptMs) / 1000) };
      const added = { [verdict]: 1 };
      // Null or a mark that was there: it is counted either way.
      await transact(aws, [
        put(table, { ...auditKey(place.scope, request), ...toItem(mark) }, [absent("pk")]),
        update(evidenceChange(table, place, added, now)),
        update(monthChange(table, { owner: place, added, at: now })),
      ]).catch((error: unknown) => {
        // All calls of a project write the sums of its month, so this is load and no failure.
        throw isContention(error) ? new ThrottledError("TransactionCanceledException", 400, {}) : error;
      });
      return evidenceOf((await getItem(aws, table, evidenceKey(place.scope, place.context))) ?? {});
    },

    switchOff: (place, until, now) => switchOff(aws, table, place, { until, now }),
  };
}

/** What adds to a context's evidence. */
function evidenceChange(
  table: string,
  { scope, context }: ContextPlace,
  added: EvidenceAddition,
  now: number,
): Change {
  const set = { expires_at: expiry(now + evidenceKeptMs) };
  return { table, key: evidenceKey(scope, context), set, add: added };
}

/** Switches a context off, and forgets its counts. False where it was off already. */
async function switchOff(
  aws: Aws,
  table: string,
  place: ContextPlace,
  { until, now }: { until: number; now: number },
): Promise<boolean> {
  const key = evidenceKey(place.scope, place.context);
  const done = await changeItem(aws, {
    table,
    key,
    set: { off_until: toAttribute(until), expires_at: expiry(until + evidenceKeptMs) },
    remove: [...counted],
    when: [absentOrAtMost("off_until", BigInt(now))],
  });
  // What is counted while it is off is of hits from before.
  const late = { remove: [...counted], when: [atLeast("off_until", BigInt(now) + 1n)] };
  const month = { owner: place, added: { switched_off: 1 }, at: now };
  await changeItem(aws, done ? monthChange(table, month) : { table, key, ...late });
  return done;
}

function expiry(at: number): Item[string] {
  return toAttribute(Math.ceil(at / 1000));
}

const counted = Object.keys(noCounts);

/** What an item says of a context. A count that is not there is 0. */
function evidenceOf(item: Item): ContextEvidence {
  const evidence = { ...noEvidence };
  for (const name of Object.keys(evidence) as (keyof ContextEvidence)[])
    evidence[name] = Number(item[name]?.N ?? 0);
  return evidence;
}

/** A page, undefined for an item that is none. */
function pageOf(item: Item): StoredPage | undefined {
  const [bytes, version] = [readBytes(item.bytes), Number(item.version?.N)];
  return bytes && Number.isSafeInteger(version) ? { bytes, version } : undefined;
}
