/** Usage events as what is written of them: entries, and what they add to the rollups. */
import type { Entry, Sums } from "../billing/ledger.ts";
import { hourOf } from "../billing/period.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import { addSums, noSums, sumsOf } from "../billing/report.ts";
import { dimensions } from "../billing/usage.ts";
import type { UsageEvent } from "../billing/usage-event.ts";
import { timeOf } from "../platform/id.ts";
import { fromItem, type Item, readBigint, toItem } from "./attributes.ts";
import { absent } from "./expressions.ts";
import { rollupKey } from "./table.ts";
import { type Action, put, update } from "./transaction.ts";

/** The entry of a usage event: the customer is debited what the model earns. */
export function usageEntry(event: UsageEvent): Entry {
  return {
    id: event.id,
    kind: "usage",
    organization: event.organization,
    debit: `customer:${event.organization}`,
    credit: `revenue:${event.model}`,
    points: event.cost_points,
    at: event.admitted_at,
    event,
  };
}

/** The entry that turns an estimate into the real event. */
export function adjustmentEntry(event: UsageEvent, estimate: UsageEvent): Entry {
  const points = formatPoints(parsePoints(event.cost_points) - parsePoints(estimate.cost_points));
  return { ...usageEntry(event), id: `${event.id}#adj`, kind: "adjustment", points };
}

/** Puts an entry where none is. */
export function putEntry(table: string, key: Item, entry: Entry): Action {
  return put(table, { ...key, ...toItem(entry) }, [absent("pk")]);
}

/** Reads what `putEntry` put. */
export function readEntry(item: Item): Entry {
  const { pk: _partition, sk: _sort, ...fields } = item;
  return fromItem(fields) as unknown as Entry;
}

/** Sums on their way to the rollups of an event's hour and model: the organization's, and its project's. */
export interface Posting {
  event: UsageEvent;
  sums: Sums;
}

/** The rollups an event adds to. */
export function rollupKeys({ organization, project, id, model }: UsageEvent): Item[] {
  const projects = project === "" ? [""] : ["", project];
  return projects.map((each) => rollupKey(organization, each, hourOf(timeOf(id)), model));
}

/** One update for each rollup that the postings add to. */
export function rollupUpdates(table: string, postings: Posting[]): Action[] {
  const rollups = new Map<string, { key: Item; sums: Sums }>();
  for (const { event, sums } of postings) {
    for (const key of rollupKeys(event)) {
      const name = JSON.stringify(key);
      rollups.set(name, { key, sums: addSums(rollups.get(name)?.sums ?? noSums(), sums) });
    }
  }
  return [...rollups.values()].map(({ key, sums }) => {
    const { calls, cost_points, list_points, ...usage } = sums;
    return update({ table, key, add: { n: calls, cost: cost_points, list: list_points, ...usage } });
  });
}

/** The sums of a rollup. */
export function readSums(item: Item): Sums {
  const usage = dimensions.map((dimension) => [dimension, Number(readBigint(item[dimension]))]);
  return {
    ...noSums(),
    ...Object.fromEntries(usage),
    calls: Number(readBigint(item["n"])),
    cost_points: readBigint(item["cost"]),
    list_points: readBigint(item["list"]),
  };
}

/** What an event adds. */
export function posting(event: UsageEvent): Posting {
  return { event, sums: sumsOf(event) };
}

/** The same, taken back. */
export function reversal(event: UsageEvent): Posting {
  const { cost_points, list_points, ...counts } = sumsOf(event);
  const negated = Object.entries(counts).map(([name, count]) => [name, -count]);
  return {
    event,
    sums: {
      ...noSums(),
      ...Object.fromEntries(negated),
      cost_points: -cost_points,
      list_points: -list_points,
    },
  };
}
