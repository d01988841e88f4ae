/**
 * That no call is let in beyond a budget of any level, and that what counters say in the end is what their calls were
 * charged.
 */

import { createHash } from "node:crypto";
import { timeOf } from "#shared/base/platform/id.ts";
import type { BudgetPeriod } from "#shared/books/accounts/account.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { limitedName } from "#shared/books/meters/hold.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { readMeterItem } from "#shared/edges/store/meters/meter-item.ts";
import type { Call } from "./calls.ts";
import type { BudgetHistory } from "./key-history.ts";
import type { Video } from "./videos.ts";
import type { Key } from "./world.ts";

export class Budgets {
  readonly #calls: Map<string, Call>;
  readonly #videos: Map<string, Video>;
  /** What each counter was on each item, in the order of its writes. */
  readonly #written = new Map<string, Written[]>();
  /** When each call was let in. */
  readonly #admitted = new Map<string, number>();
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
    for (const [request, shares] of sharesOf(after)) {
      const wanted = this.#boundsOf(request);
      const counters = shares.map(({ counter }) => counter);
      if (counters.join() !== wanted.map(({ counter }) => counter).join()) {
        gaps.push(`${request} is counted on ${counters}, not on ${wanted.map(({ counter }) => counter)}`);
        continue;
      }
      const before = was.get(request);
      // The next step of a stream goes by the budgets that its call was let in with.
      const since = this.#admitted.get(request) ?? now;
      this.#admitted.set(request, since);
      for (const [at, { counter, points }] of shares.entries()) {
        const isMore = points > (before?.[at]?.points ?? -1n);
        const taken = this.#taken(`${after.meter} ${counter}`);
        const most =
          this.#mostOf(request, wanted[at], { since, now }) + this.#owed(`${after.meter} ${counter}`);
        if (isMore && !item?.[`z${request.slice(-26)}`] && taken > most)
          gaps.push(`${request} is let in, and the budget ${counter} of ${most} has ${taken}`);
      }
    }
    return gaps;
  }

  /** The budgets that bound a call or video. */
  #boundsOf(request: string): SimulatedBound[] {
    const key = this.#keyOf(request);
    const user = this.#calls.get(request)?.user ?? null;
    return key ? boundsOf(key, user, timeOf(request)) : [];
  }

  /**
   * What a budget may come to at `now`: the most that it was from `since` on, where it is changed meanwhile. A change
   * takes back no part of a period that is over. So that period's last calls may be let in by what the budget was then.
   */
  #mostOf(
    request: string,
    bound: SimulatedBound | undefined,
    { since, now }: { since: number; now: number },
  ): bigint {
    const from = Math.min(since, bound ? endOf(periodOf(bound.counter)) : now);
    return historyOf(this.#keyOf(request), bound)?.budgetsAt(from, now).most ?? bound?.most ?? 0n;
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
      const [, whose, needed] =
        /The (organization|project|member|key|end customer)'s[^"]*budget of[^"]* up to ([\d.]+) points/.exec(
          call.received,
        ) ?? [];
      const bound = this.#boundsOf(call.id).find(({ level }) => level === whose);
      if (needed === undefined || call.replayed !== undefined) return [];
      if (!bound) return [`${call.id} is refused by the budget of its ${whose}, and there is none`];
      const { wallet, subscription } = call.key.organization;
      const meter = call.key.record.mode === "payg" ? wallet?.meter : subscription?.meter;
      const least = historyOf(call.key, bound)?.budgetsAt(call.calledAt, call.answeredAt).least ?? bound.most;
      const room = this.#leastRoom(`${meter} ${bound.counter}`, least, call);
      if (room < parsePoints(needed)) return [];
      return [`${call.id} is refused ${needed} points, and the budget of its ${whose} had ${room}`];
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
      for (const { counter } of this.#boundsOf(event.id)) add(`${event.meter} ${counter}`, chargedOf(event));
    }
    for (const item of meters) {
      for (const { counter, points } of [...sharesOf(item).values()].flat())
        add(`${item.meter} ${counter}`, points);
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
      if (isOver(periodOf(name), now) || counted.get(name) === points) return [];
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
  for (const [request, shares] of sharesOf(after)) {
    const share = shares.find((each) => each.counter === counter);
    const known = was.get(request)?.find((each) => each.counter === counter);
    const more = (share?.points ?? 0n) - (known?.points ?? 0n);
    if (more > 0n) raised += more;
  }
  return raised;
}

/** What each call and task on an item takes of budgets. */
function sharesOf(item: Meter | undefined) {
  const held = item ? [...item.holds, ...item.seized, ...item.tasks] : [];
  return new Map(held.map(([request, { budgets = [] }]) => [request, budgets]));
}

/** What a budget was changed to, if it was. */
function historyOf(key: Key | undefined, bound: SimulatedBound | undefined): BudgetHistory | undefined {
  return bound?.level === "key" ? key?.history : key?.levels?.get(bound?.level ?? "");
}

/** A budget that bounds a call, as this file understands levels. */
interface SimulatedBound {
  /** As a refusal names it. */
  level: string;
  counter: string;
  most: bigint;
}

/** The budgets of a key's call at an instant: its own, and then those of its organization in the order of its record. */
function boundsOf({ record, organization }: Key, user: string | null, at: number): SimulatedBound[] {
  const { id, limits, project, created_by } = record;
  const own = limits?.budget_points;
  const bounds = own === undefined ? [] : [boundAt("key", limitedName(id), own, limits?.budget_period, at)];
  const hash = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 8);
  for (const { level, id: whose, points, period } of organization.budgets ?? []) {
    if (level === "organization") bounds.push(boundAt("organization", "O", points, period, at));
    if (level === "project" && whose === project)
      bounds.push(boundAt("project", `P${hash(project)}`, points, period, at));
    if (level === "member" && whose === created_by)
      bounds.push(boundAt("member", `M${whose.slice(-10)}`, points, period, at));
    if (level === "customer" && user !== null)
      bounds.push(boundAt("end customer", `C${hash(user)}`, points, period, at));
  }
  return bounds;
}

function boundAt(
  level: string,
  account: string,
  points: string,
  period: BudgetPeriod | undefined,
  at: number,
): SimulatedBound {
  return { level, counter: `${account}:${counterAt(period, at)}`, most: parsePoints(points) };
}

/** The counter of an instant, as this file understands days and months. */
function counterAt(period: BudgetPeriod = "total", at: number): string {
  const date = new Date(at).toISOString();
  const names = {
    day: `bd${Date.parse(date.slice(0, 10)) / 86_400_000}`,
    month: `bm${date.slice(0, 4)}${date.slice(5, 7)}`,
    total: "bt",
  };
  return names[period];
}

/** A subscription's key spends what its calls are worth, a wallet's what they cost. */
function chargedOf({ mode, calls, cost_points, list_points }: UsageEvent): bigint {
  if (mode === "payg") return parsePoints(cost_points);
  return calls === 0 ? 0n : parsePoints(list_points);
}

/** The part of a counter's name that names its period: `bd20787`, `bm202611` or `bt`. */
function periodOf(counter: string): string {
  return counter.slice(counter.indexOf(":") + 1);
}

/** When a period ends, Unix milliseconds. */
function endOf(period: string): number {
  if (period.startsWith("bd")) return (Number(period.slice(2)) + 1) * dayMs;
  const [year, month] = [Number(period.slice(2, 6)), Number(period.slice(6))];
  return period.startsWith("bm") ? Date.UTC(year, month) : Infinity;
}

/** Whether a day or a month ended before the last one did. */
function isOver(period: string, now: number): boolean {
  if (period.startsWith("bd")) return endOf(period) + dayMs <= now;
  const [year, month] = [Number(period.slice(2, 6)), Number(period.slice(6))];
  return period.startsWith("bm") && Date.UTC(year, month + 1) <= now;
}
