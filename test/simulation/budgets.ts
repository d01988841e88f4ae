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
  /** What each counter was on each item, in the order of its writes. */
  readonly #written = new Map<string, Written[]>();
  /** What calls were charged beyond what they held, by counter. */
  readonly #beyond = new Map<string, bigint>();

  constructor(calls: Map<string, Call>, videos: Map<string, Video>) {
    this.#calls = calls;
    this.#videos = videos;
  }

  /**
   * A meter item was written at `now`, and was `item` before. Who holds something new, or more, must have found room for
   * it. Gives what is wrong.
   */
  gapsOf(before: Meter | undefined, after: Meter, item: Item | undefined, now: number): string[] {
    const was = sharesOf(before);
    this.#note(before, after, now);
    const gaps: string[] = [];
    for (const [request, share] of sharesOf(after)) {
      const key = this.#keyOf(request);
      const wanted = key && counterOf(key, timeOf(request));
      if (wanted === undefined) continue;
      if (share?.counter !== wanted) {
        gaps.push(`${request} is not counted as ${wanted}, but on ${share?.counter}`);
        continue;
      }
      const isMore = share.points > (was.get(request)?.points ?? -1n);
      const taken = this.#taken(`${after.meter} ${wanted}`);
      const most = mostOf(key) + this.#owed(`${after.meter} ${wanted}`);
      if (isMore && !item?.[`z${request.slice(-26)}`] && taken > most)
        gaps.push(`${request} is let in, and its key's budget of ${most} has ${taken}`);
    }
    return gaps;
  }

  /** A shard that charges more than was held owes it. Other shards do not know that, and admit by their own parts. */
  #note(before: Meter | undefined, after: Meter, now: number): void {
    const moved = after.moves !== (before?.moves ?? 0);
    for (const counter of new Set([...after.budgets.keys(), ...(before?.budgets.keys() ?? [])])) {
      const [was, is] = [before?.budgets.get(counter) ?? 0n, after.budgets.get(counter) ?? 0n];
      if (was === is) continue;
      const name = `${after.meter} ${counter}`;
      this.#written.set(name, [
        ...(this.#written.get(name) ?? []),
        { shard: after.shard, at: now, taken: is },
      ]);
      const beyond = moved ? 0n : is - was - raisedBy(before, after, counter);
      if (beyond > 0n) this.#beyond.set(name, (this.#beyond.get(name) ?? 0n) + beyond);
    }
  }

  /** What a counter has on all items. */
  #taken(name: string): bigint {
    const last = new Map((this.#written.get(name) ?? []).map(({ shard, taken }) => [shard, taken]));
    return [...last.values()].reduce((sum, taken) => sum + taken, 0n);
  }

  /** What shards may owe of a budget that several of them share. */
  #owed(name: string): bigint {
    const isShared = this.#written.get(name)?.some(({ shard }) => shard > 0);
    return isShared ? (this.#beyond.get(name) ?? 0n) : 0n;
  }

  /**
   * Refusals in the name of a budget that had room all the time. Each item had some least room while the call was on its
   * way, and the sum of these would have been enough.
   */
  #refusalGaps(): string[] {
    return [...this.#calls.values()].flatMap((call) => {
      const needed = /The key's[^"]*budget of[^"]* up to ([\d.]+) points/.exec(call.received)?.[1];
      const counter = counterOf(call.key, timeOf(call.id));
      if (needed === undefined || counter === undefined || call.replayed !== undefined) return [];
      const { wallet, subscription } = call.key.organization;
      const meter = call.key.record.mode === "payg" ? wallet?.meter : subscription?.meter;
      const room = this.#leastRoom(`${meter} ${counter}`, mostOf(call.key), call);
      if (room < parsePoints(needed)) return [];
      return [`${call.id} is refused ${needed} points, and its key's budget had ${room}`];
    });
  }

  #leastRoom(name: string, most: bigint, { calledAt, answeredAt }: Call): bigint {
    const byShard = Map.groupBy(this.#written.get(name) ?? [], ({ shard }) => shard);
    let room = 0n;
    for (const shard of new Set([0, ...byShard.keys()])) {
      const written = byShard.get(shard) ?? [];
      const first = written.findLast(({ at }) => at < calledAt)?.taken ?? 0n;
      const during = written.filter(({ at }) => at >= calledAt && at <= answeredAt).map(({ taken }) => taken);
      const taken = during.reduce((more, each) => (each > more ? each : more), first);
      room += (shard === 0 ? most : 0n) - taken;
    }
    return room;
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
    const counted = new Map<string, bigint>();
    for (const { meter, budgets } of meters)
      for (const [name, points] of budgets)
        counted.set(`${meter} ${name}`, (counted.get(`${meter} ${name}`) ?? 0n) + points);
    const kept = meters.filter(({ shardsAtRetirement }) => shardsAtRetirement !== null);
    const stuck = kept.flatMap(({ meter, shard, budgets }) =>
      [...budgets].map(([name]) => `${meter}#${shard} is out of use and has a part of ${name}`),
    );
    const wrong = [...due].flatMap(([name, points]) => {
      // Of a day or month that is long over the counter may be gone, or be what a late correction made of none.
      if (isOver(name.slice(name.indexOf(":") + 1), now) || counted.get(name) === points) return [];
      return (counted.get(name) ?? 0n) === points ? [] : [`${name} has ${counted.get(name)}, not ${points}`];
    });
    return [...wrong, ...stuck, ...this.#refusalGaps()];
  }

  #keyOf(request: string): Key | undefined {
    return (this.#calls.get(request) ?? this.#videos.get(request))?.key;
  }
}

/** A counter as it was written on an item. */
interface Written {
  shard: number;
  at: number;
  taken: bigint;
}

/** What calls hold more of a budget than before. */
function raisedBy(before: Meter | undefined, after: Meter, counter: string): bigint {
  const was = sharesOf(before);
  let raised = 0n;
  for (const [request, share] of sharesOf(after)) {
    if (share?.counter !== counter) continue;
    const more = share.points - (was.get(request)?.points ?? 0n);
    if (more > 0n) raised += more;
  }
  return raised;
}

/** What a key may spend in a period of its budget. */
function mostOf(key: Key | undefined): bigint {
  return parsePoints(key?.record.limits?.budget_points ?? "0");
}

/** What each call and task on an item takes of a budget. */
function sharesOf(item: Meter | undefined) {
  const held = item ? [...item.holds, ...item.seized, ...item.tasks] : [];
  return new Map(held.map(([request, { budgets = [] }]) => [request, budgets[0]]));
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
