/**
 * What must be true of the books (billing.md §5, I1 to I9), said of the items themselves and of what clients
 * and provider saw. `look` checks what holds at every instant, on what was written since; `close` what holds
 * once everything has come to rest. The product's own audit is asked besides.
 */

import { parsePoints } from "#shared/books/billing/points.ts";
import { creditedBy } from "#shared/books/ledger/credit.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { type Item, readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { pricePartition, readMeterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { readEntry } from "#shared/edges/store/ledger/postings.ts";
import { names, readMeterItem } from "#shared/edges/store/meters/meter-item.ts";
import type { MemoryDynamoDb, Written } from "#test/support/memory-dynamodb.ts";
import { Budgets } from "./budgets.ts";
import type { Call } from "./calls.ts";
import { Caps } from "./caps.ts";
import { dueOf, mostOf } from "./costs.ts";
import { callsOf, closingDayGaps, dayGaps } from "./day-points.ts";
import { fallbackGaps } from "./fallbacks.ts";
import { houseGaps } from "./house-costs.ts";
import { meterGaps } from "./meter-gaps.ts";
import { isNothing, reports } from "./provider.ts";
import { isCharged, repetitionGaps } from "./repetitions.ts";
import { hoursOf, isHour, RollupBooks, wholePlaceOf } from "./rollup-books.ts";
import { tagGaps } from "./tags.ts";
import { taskWriteGaps, videoGaps } from "./task-books.ts";
import { toldGaps } from "./told-errors.ts";
import type { Video } from "./videos.ts";

/** Answers of the gateway that say: this call is not let in. */
const refusals = new Set([401, 402, 429]);
/** A process that was frozen for longer finds no mark that its hold was swept. */
const marksLastMs = 3_600_000;

/** A hold that was once on a meter. Points are 10⁻¹⁸, as they were last; calls are of quota. */
interface HeldOnce {
  meter: string;
  shard: number;
  points: bigint;
  calls: number;
  /** The sweeper took it. */
  seized: boolean;
}

export class Books {
  readonly violations: string[] = [];
  readonly #calls: Map<string, Call>;
  readonly #videos: Map<string, Video>;
  #written: Written[] = [];
  /** How much was written so far. */
  writes = 0;
  /** Each meter item as it was written last, read: the next write of it is compared with this one. */
  readonly #meters = new Map<string, { item: Item; meter: Meter }>();
  readonly rollups = new RollupBooks();
  readonly caps: Caps;
  readonly #budgets: Budgets;
  readonly #final = new Map<string, Entry>();
  /** The price history: versions, each with a model. */
  readonly #prices = new Set<string>();
  readonly #bases = new Map<string, number>();
  /** When the gateway's own word on a call was written: the world's time. */
  readonly #toldAt = new Map<string, number>();
  readonly #held = new Map<string, HeldOnce[]>();
  readonly #blocked = new Set<string>();
  /** Calls of a month that a subscription's meter may count, at most. */
  readonly #quotas = new Map<string, number>();
  /** Calls that were refused and are charged because neither queue nor tables took a word against that. */
  unwritten = 0;
  /** What was granted to all wallets, and what was credited less what was paid back. */
  #granted = 0n;
  #credited = 0n;

  constructor(calls: Map<string, Call>, videos: Map<string, Video>) {
    this.#calls = calls;
    this.#videos = videos;
    this.caps = new Caps(calls);
    this.#budgets = new Budgets(calls, videos);
  }

  violation(...what: string[]): void {
    this.violations.push(...what);
  }

  note(written: Written): void {
    this.writes += 1;
    this.#written.push(written);
  }

  /** From now on no call may be admitted by this key or organization. */
  block(id: string): void {
    this.#blocked.add(id);
  }

  /** A subscription buys so many calls a month. */
  allow(meter: string, quota: number): void {
    this.#quotas.set(meter, Math.max(quota, this.#quotas.get(meter) ?? 0));
  }

  /** A call is sent to a provider. */
  asked(call: Call): void {
    this.violation(...this.caps.gapsOf(call));
  }

  /**
   * All has been done for a call that was sent. Its process settles the hold, and leaves to the sweep only what is in
   * doubt.
   */
  ended({ id, asked, doubtful }: Call, db: MemoryDynamoDb): void {
    if (asked === 0 || doubtful) return;
    const holding = db.items("counters").filter((item) => item.kind && names.hold(id) in item);
    // A wallet with several items may have a hold of an attempt that got no answer. Another attempt was admitted then.
    const alone = holding.map(readMeterItem).filter(({ shard, opened }) => shard === 0 && opened === 1);
    if (alone.length > 0) this.violation(`${id} has ended, and is still held`);
  }

  /** Checks what was written since the last look. */
  look(now: number): void {
    if (this.#written.length === 0) return;
    const written = this.#written;
    this.#written = [];
    const rollups: Item[] = [];
    const entries: Entry[] = [];
    for (const { table, before, after } of written) {
      const pk = readText(after?.pk);
      if (table === "counters" && after?.kind) this.#meterWritten(before, after, now);
      else if (table === "keys") this.caps.noteOwner(before, after);
      else if (table === "tasks") this.violation(...taskWriteGaps(before, after));
      else if (table === "ledger" && pk === pricePartition) this.#prices.add(readText(after?.sk));
      else if (table === "ledger" && pk.startsWith("L#") && after)
        entries.push(this.#entryWritten(before, after, now));
      else if (table === "ledger" && pk.startsWith("R#") && after && isHour(after)) rollups.push(after);
    }
    this.violation(...this.rollups.hourGaps(rollups));
    // An entry comes with its rollups or not at all.
    const places = new Set(rollups.map(wholePlaceOf));
    for (const { id, event } of entries) {
      if (event && !hoursOf(event).every((place) => places.has(place)))
        this.violation(`I5 ${id} is in no rollup`);
    }
    if (this.#granted !== this.#credited) this.violation("I4 more or less is granted than was credited");
  }

  /** I1, I2, and that counts of calls never fall below nothing. */
  #meterWritten(before: Item | undefined, after: Item, now: number): void {
    const meter = readMeterItem(after);
    const was = before && this.#meterBefore(before);
    const open = [...meter.holds, ...meter.tasks];
    const name = `${meter.meter}#${meter.shard}`;
    this.violation(...meterGaps(meter, this.#quotas.get(meter.meter) ?? 0));
    this.#meters.set(name, { item: after, meter });
    this.#granted += meter.granted - (was?.granted ?? 0n);
    for (const [request, { points, calls = 1 }] of open) {
      const known = this.#holdOf(request, meter.meter, meter.shard);
      if (known) known.points = points;
      if (before && names.hold(request) in before) continue;
      if (!known) {
        const hold = { meter: meter.meter, shard: meter.shard, points, calls, seized: false };
        this.#held.set(request, [...(this.#held.get(request) ?? []), hold]);
      }
      this.#checkBlocked(request, now);
    }
    for (const request of meter.seized.keys()) {
      const hold = this.#holdOf(request, meter.meter, meter.shard);
      if (hold) hold.seized = true;
    }
    this.caps.note(meter);
    this.violation(...this.#budgets.gapsOf(was, meter, before, now), ...dayGaps(meter, before));
    if (meter.avail < -this.#overdraft(meter)) this.violation(`I2 ${name} has ${meter.avail} left`);
  }

  #meterBefore(item: Item): Meter {
    const { meter, shard } = readMeterKey(readText(item.pk));
    const known = this.#meters.get(`${meter}#${shard}`);
    return known?.item === item ? known.meter : readMeterItem(item);
  }

  #holdOf(request: string, meter: string, shard: number): HeldOnce | undefined {
    return this.#held.get(request)?.find((hold) => hold.meter === meter && hold.shard === shard);
  }

  #checkBlocked(request: string, now: number): void {
    const call = this.#calls.get(request);
    const key = call?.key ?? this.#videos.get(request)?.key;
    if (call) this.violation(...(key?.history?.stops(call, now) ?? []));
    for (const id of [key?.record.id, key?.organization.id]) {
      if (id !== undefined && this.#blocked.has(id))
        this.violation(`${request} was admitted after ${id} was stopped`);
    }
  }

  /**
   * What a shard may be overdrawn by: what calls used beyond their hold, or after it was taken (billing.md §2.5).
   * The first takes over what others owe when they go out of use.
   */
  #overdraft({ meter, shard }: { meter: string; shard: number }): bigint {
    let sum = 0n;
    for (const [request, holds] of this.#held) {
      const call = this.#calls.get(request);
      for (const hold of call ? holds : []) {
        if (hold.meter !== meter || (shard > 0 && hold.shard !== shard)) continue;
        const beyond = mostOf(call as Call) - (hold.seized ? 0n : hold.points);
        if (beyond > 0n) sum += beyond;
      }
    }
    return sum;
  }

  #entryWritten(before: Item | undefined, after: Item, now: number): Entry {
    const entry = readEntry(after);
    if (before) this.violation(`the entry ${entry.id} was changed`);
    const { event } = entry;
    this.#credited += creditedBy(entry);
    if (!event) return entry;
    if (!this.#prices.has(`${event.price.version}#${event.model}`))
      this.violation(`${entry.id} was charged at a price that is not in the history`);
    // A refusal that nobody could be sure of is written down as free, also where nothing was held.
    if (!this.#held.has(event.id) && isCharged(event)) this.violation(`I6 ${entry.id} has no admission`);
    const old = this.#final.get(event.id);
    if (entry.kind === "usage") this.#bases.set(event.id, (this.#bases.get(event.id) ?? 0) + 1);
    if (entry.kind === "usage" && old) this.violation(`I3 ${event.id} has two base entries`);
    // A clock that is far ahead has a running call for a dead one, whose place another takes before it is known.
    const had = old?.event?.calls ?? this.#holdOf(event.id, event.meter, event.shard)?.calls ?? 1;
    this.allow(event.meter, (this.#quotas.get(event.meter) ?? 0) + Math.max(0, event.calls - had));
    const key = (this.#calls.get(event.id) ?? this.#videos.get(event.id))?.key;
    if (key) this.violation(...tagGaps(event, key));
    this.#final.set(event.id, entry);
    if (event.source === "gateway") this.#toldAt.set(event.id, now);
    this.rollups.post(event, old?.event ?? undefined);
    return entry;
  }

  /** What holds once nothing is under way any more: I3, I5, I7, I8, I9; the audit has its own word on I4. */
  close(db: MemoryDynamoDb, now: number): void {
    const tasksHeld = new Set<string>();
    for (const item of db.items("counters")) {
      if (!item.kind) continue;
      const { meter, holds, seized, tasks } = readMeterItem(item);
      for (const request of [...holds.keys(), ...seized.keys()])
        this.violation(`I8 ${request} is still held on ${meter}`);
      for (const task of tasks.keys()) {
        if (tasksHeld.has(task)) this.violation(`I8 ${task} is held twice`);
        tasksHeld.add(task);
      }
    }
    for (const call of this.#calls.values()) this.#closeCall(call);
    this.violation(...this.rollups.sealedGaps(db.items("ledger")));
    const events = [...this.#final.values()].flatMap(({ event }) => event ?? []);
    const items = [...db.items("counters")];
    this.violation(...this.#budgets.closingGaps(items, events, now), ...closingDayGaps(items, events, now));
    this.violation(...repetitionGaps(this.#calls.values(), (id) => this.#finalOf(id)));
    const eventOf = (id: string) => this.#final.get(id)?.event ?? undefined;
    this.violation(...videoGaps(this.#videos.values(), db, { held: tasksHeld, eventOf }));
  }

  #finalOf(id: string) {
    const event = this.#final.get(id)?.event;
    return event ? { event, toldAt: this.#toldAt.get(id) } : undefined;
  }

  #closeCall(call: Call): void {
    const bases = this.#bases.get(call.id) ?? 0;
    const event = this.#final.get(call.id)?.event;
    if (call.asked > 0 && bases !== 1) this.violation(`I3 ${call.id} was sent and has ${bases} base entries`);
    // Whoever reads no more is billed what was reported too: the call ends without its reader.
    if (call.stalled && !call.finished && call.server.alive)
      this.violation(`${call.id} waits for its reader`);
    const isDrained = call.stalled && call.finished && call.told === "all" && !call.strict;
    this.violation(...toldGaps(call, event ?? undefined));
    const promised = (call.sawEnd || isDrained) && call.replayed === undefined && !call.gap;
    if (promised && event?.source !== "gateway")
      this.violation(`I7 ${call.id} was answered, and its entry is a guess`);
    if (promised && call.hit === undefined && reports(call.script) && event) {
      const { input_tokens: read, output_tokens: written } = event.usage;
      if (read !== call.script.input || written !== call.script.output)
        this.violation(`I7 ${call.id} is billed ${read} and ${written} tokens`);
      const free = isNothing(call.script);
      const cost = call.key.record.mode === "payg" && !free ? dueOf(call) : 0n;
      if (parsePoints(event.cost_points) !== cost) this.violation(`I7 ${call.id} costs ${event.cost_points}`);
      const calls = free ? 0 : callsOf(event, dueOf(call));
      if (event.calls !== calls) this.violation(`I7 ${call.id} takes ${event.calls} calls of quota`);
    }
    if (!event) return;
    this.violation(...houseGaps(call, event, promised && call.hit === undefined));
    const cost = parsePoints(event.cost_points);
    const holds = this.#held.get(call.id) ?? [];
    const held = holds.map(({ points }) => points);
    this.violation(...fallbackGaps(call, event, held));
    const over = cost > 0n && holds.every(({ points }) => cost > points);
    if (over && call.script.document) this.violation(`I9 ${call.id} costs more than held for its document`);
    if (over && !event.flags.includes("overrun")) this.violation(`I9 ${call.id} costs more than it held`);
    const isForgotten = call.answeredAt - call.calledAt > marksLastMs;
    if (refusals.has(call.status ?? 0) && isCharged(event) && !isForgotten) {
      if (call.gap) this.unwritten += 1;
      else this.violation(`${call.id} was refused with ${call.status}, and is charged`);
    }
  }
}
