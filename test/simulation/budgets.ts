/**
 * That no key is let in beyond its budget, and that what its counters say in the end is what its calls were charged.
 */

import { timeOf } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { limitedName } from "#shared/books/meters/hold.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { readMeterItem } from "#shared/edges/store/meters/meter-item.ts";
import type { Call } from "./calls.ts";
import type { Video } from "./videos.ts";
import type { Key } from "./world.ts";

export class Budgets {
  readonly #calls: Map<string, Call>;
  readonly #videos: Map<string, Video>;

  constructor(calls: Map<string, Call>, videos: Map<string, Video>) {
    this.#calls = calls;
    this.#videos = videos;
  }

  /**
   * A meter item was written, and was `item` before. Who holds something new, or more, must have found room for it.
   * Gives what is wrong.
   */
  gapsOf(before: Meter | undefined, after: Meter, item: Item | undefined): string[] {
    const was = sharesOf(before);
    const gaps: string[] = [];
    for (const [request, share] of sharesOf(after)) {
      const key = this.#keyOf(request);
      const wanted = key && counterOf(key, timeOf(request));
      if (wanted === undefined) continue;
      if (share?.counter !== wanted || after.shard !== 0) {
        gaps.push(`${request} is not counted as ${wanted}, but on ${share?.counter} of shard ${after.shard}`);
        continue;
      }
      const isMore = share.points > (was.get(request)?.points ?? -1n);
      const taken = after.budgets.get(wanted) ?? 0n;
      const most = parsePoints(key?.record.limits?.budget_points ?? "0");
      if (isMore && !item?.[`z${request.slice(-26)}`] && taken > most)
        gaps.push(`${request} is let in, and its key's budget of ${most} has ${taken}`);
    }
    return gaps;
  }

  /**
   * What holds once everything is at rest at `now`: counters are the sums of their calls, and of what tasks still hold.
   */
  closingGaps(items: Item[], events: UsageEvent[], now: number): string[] {
    const meters = items.filter((item) => item.kind).map(readMeterItem);
    const due = new Map<string, bigint>();
    const add = (name: string, points: bigint) => due.set(name, (due.get(name) ?? 0n) + points);
    for (const event of events) {
      const key = this.#keyOf(event.id);
      const counter = key && counterOf(key, timeOf(event.id));
      if (counter !== undefined) add(`${event.meter} ${counter}`, chargedOf(event));
    }
    for (const item of meters) {
      for (const share of sharesOf(item).values())
        if (share) add(`${item.meter} ${share.counter}`, share.points);
      for (const counter of item.budgets.keys()) add(`${item.meter} ${counter}`, 0n);
    }
    const counted = new Map(
      meters.flatMap(({ meter, budgets }) =>
        [...budgets].map(([name, points]) => [`${meter} ${name}`, points]),
      ),
    );
    return [...due].flatMap(([name, points]) => {
      // Of a day or month that is long over the counter may be gone, or be what a late correction made of none.
      if (isOver(name.slice(name.indexOf(":") + 1), now) || counted.get(name) === points) return [];
      return (counted.get(name) ?? 0n) === points ? [] : [`${name} has ${counted.get(name)}, not ${points}`];
    });
  }

  #keyOf(request: string): Key | undefined {
    return (this.#calls.get(request) ?? this.#videos.get(request))?.key;
  }
}

/** What each call and task on an item takes of a budget. */
function sharesOf(item: Meter | undefined) {
  const held = item ? [...item.holds, ...item.seized, ...item.tasks] : [];
  return new Map(held.map(([request, { budget }]) => [request, budget]));
}

/** The counter of a key's calls at an instant, as this file understands days and months. */
function counterOf({ record: { id, limits } }: Key, at: number): string | undefined {
  if (limits?.budget_points === undefined) return undefined;
  const date = new Date(at).toISOString();
  const names = {
    day: `bd${Date.parse(date.slice(0, 10)) / 86_400_000}`,
    month: `bm${date.slice(0, 4)}${date.slice(5, 7)}`,
    total: "bt",
  };
  return `${limitedName(id)}:${names[limits.budget_period ?? "total"]}`;
}

/** A subscription's key spends what its calls are worth, a wallet's what they cost. */
function chargedOf({ mode, calls, cost_points, list_points }: UsageEvent): bigint {
  if (mode === "payg") return parsePoints(cost_points);
  return calls === 0 ? 0n : parsePoints(list_points);
}

/** Whether a day or a month ended before the last one did. */
function isOver(counter: string, now: number): boolean {
  if (counter.startsWith("bd")) return (Number(counter.slice(2)) + 2) * 86_400_000 <= now;
  const [year, month] = [Number(counter.slice(2, 6)), Number(counter.slice(6))];
  return counter.startsWith("bm") && Date.UTC(year, month + 1) <= now;
}
