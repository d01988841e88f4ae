/** What is written to restored tables before they serve (infra/operator/restore.md). */

import type { Aws } from "../../base/platform/aws.ts";
import type { KeyRecord } from "../../books/accounts/account.ts";
import { parsePoints } from "../../books/billing/points.ts";
import type { WholePrices } from "../../books/billing/pricing/price.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { budgetCost } from "../../books/meters/budget.ts";
import { absent, absentOrBelow, begins, type Change, exists } from "./dynamodb/expressions.ts";
import {
  intentKey,
  meterKey,
  organizationKey,
  prefixes,
  readRecord,
  type TableNames,
} from "./dynamodb/item-keys.ts";
import { changeItem, eachWhere, getItem } from "./dynamodb/items.ts";
import { update } from "./dynamodb/transaction.ts";
import { transactPostings } from "./ledger/late-postings.ts";
import { entryWrite, eventKey, posting, usageEntry } from "./ledger/postings.ts";
import { createPriceHistory } from "./ledger/price-history.ts";
import { SpreadOrganizations } from "./ledger/spread.ts";
import { names, readMeterItem } from "./meters/meter-item.ts";

/** The counters of a subscription or of budgets that a call counts on, by their names on the meter. */
interface CountedOn {
  /** Subscriptions: the id of the quota month. */
  period?: string;
  budgets: string[];
}

/** What restored tables know of a call. */
interface Known {
  /** The shard that the call is to be charged on; undefined where the meter does not exist. */
  shard: number | undefined;
  /** The meter holds for the call, or the sweep has seized its hold. */
  held: boolean;
  /** The call has an intent, so it was admitted. */
  intended: boolean;
}

interface Restoring {
  /** Every key, by the records of its organization. */
  keys(): AsyncIterable<KeyRecord>;
  /** Makes the cache of an organization begin anew. `epoch` must be one that it never had. A higher one stays. */
  raiseEpoch(organization: string, epoch: number): Promise<void>;
  known(event: Pick<UsageEvent, "id" | "meter" | "shard">): Promise<Known>;
  /**
   * Books a call and charges its meter, both or neither. False where the call is booked already. Throws where the meter
   * is not there, or holds for the call: then its end charges it.
   */
  bookCharged(event: UsageEvent, on: CountedOn & { shard: number }): Promise<boolean>;
}

/** The restored tables. `whole` knows the prices of the events; `now` is when entries are posted, Unix ms. */
export function createRestoring(
  aws: Aws,
  tables: Pick<TableNames, "keys" | "counters" | "ledger">,
  now: () => number,
  whole?: WholePrices,
): Restoring {
  const prices = createPriceHistory(aws, tables, whole);
  const spread = new SpreadOrganizations();
  return {
    async *keys() {
      const when = [begins("pk", prefixes.organization), begins("sk", prefixes.key)];
      for await (const item of eachWhere(aws, tables.keys, when)) yield readRecord<KeyRecord>(item);
    },

    async raiseEpoch(organization, epoch) {
      const set = { cache_epoch: { N: String(epoch) } };
      const when = [exists("pk"), absentOrBelow("cache_epoch", epoch)];
      await changeItem(aws, { table: tables.keys, key: organizationKey(organization), set, when });
    },

    async known({ id, meter, shard }) {
      const read = (each: number) => getItem(aws, tables.counters, meterKey(meter, each));
      const own = await read(shard);
      // A shard that was opened after the instant is not there. The first one is there as long as the wallet.
      const item = own ?? (shard === 0 ? undefined : await read(0));
      const { holds, tasks, seized } = own
        ? readMeterItem(own)
        : { holds: new Map(), tasks: new Map(), seized: new Map() };
      const intent = await getItem(aws, tables.counters, intentKey(id));
      return {
        shard: item && (own ? shard : 0),
        held: [holds, tasks, seized].some((each) => each.has(id)),
        intended: intent !== undefined,
      };
    },

    async bookCharged(event, { shard, ...on }) {
      await prices.remember([event]);
      const at = now();
      const { write, hash } = entryWrite(tables.ledger, eventKey(event), usageEntry(event, at));
      const charge: Change = {
        table: tables.counters,
        key: meterKey(event.meter, shard),
        add: amountsOf(event, on),
        when: [exists("kind"), absent(names.hold(event.id)), absent(names.seized(event.id))],
      };
      const place = { aws, tables, spread, now: at };
      const outcomes = await transactPostings(place, [write, update(charge)], [posting(event, hash)]);
      if (outcomes === null) return true;
      if (outcomes[0]?.failed) return false;
      throw new Error(
        `the meter ${event.meter}#${shard} is not there, or holds for ${event.id}: nothing was booked`,
      );
    },
  };
}

/** What a call that has no hold adds to its meter: what its hold and the end of it would have added together. */
function amountsOf(event: UsageEvent, { period, budgets }: CountedOn): Record<string, bigint> {
  const points = parsePoints(event.cost_points);
  const own: Record<string, bigint> =
    event.mode === "payg" ? { avail: -points, used: points } : quota(event, period);
  const cost = budgetCost(event.mode, event);
  return { ...own, ...Object.fromEntries(budgets.map((counter) => [counter, cost])) };
}

function quota({ calls }: UsageEvent, period: string | undefined): Record<string, bigint> {
  return period === undefined ? {} : { [names.period(period)]: BigInt(calls) };
}
