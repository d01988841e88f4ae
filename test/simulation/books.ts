/**
 * What must be true of the books (billing.md §5, I1 to I9), said of the items themselves and of what clients
 * and provider saw. `look` checks what holds at every instant, on what was written since; `close` what holds
 * once everything has come to rest. The product's own audit is asked besides.
 */
import type { Entry } from "#shared/billing/ledger.ts";
import { spanOf } from "#shared/billing/period.ts";
import { parsePoints } from "#shared/billing/points.ts";
import type { UsageEvent } from "#shared/billing/usage-event.ts";
import { timeOf } from "#shared/platform/id.ts";
import { type Item, readText } from "#shared/store/attributes.ts";
import { names, readMeterItem } from "#shared/store/meter-item.ts";
import { placesOf, readEntry, readRollup } from "#shared/store/postings.ts";
import { rollupKey } from "#shared/store/table.ts";
import type { MemoryDynamoDb, Written } from "../support/memory-dynamodb.ts";
import { monthlyQuota } from "./catalog.ts";
import { reports } from "./provider.ts";
import type { Call } from "./world.ts";

/** Points per token of `test/model-1`, in 10⁻¹⁸. */
const inputPrice = 2_500_000_000_000n;
const outputPrice = 10_000_000_000_000n;
/** Answers of the gateway that say: this call is not let in. */
const refusals = new Set([401, 402, 429]);

/** A hold that was once on a meter. Points are 10⁻¹⁸. */
interface HeldOnce {
  meter: string;
  points: bigint;
  /** The sweeper took it. */
  seized: boolean;
  /** It was taken before its call was answered: by a clock far ahead, or from a process that was frozen. */
  early: boolean;
}

export class Books {
  readonly violations: string[] = [];
  readonly #calls: Map<string, Call>;
  #written: Written[] = [];
  /** What the rollups must say, by place: calls, cost and list value of the entries. */
  readonly #sums = new Map<string, bigint[]>();
  readonly #final = new Map<string, Entry>();
  readonly #bases = new Map<string, number>();
  readonly #held = new Map<string, HeldOnce>();
  readonly #blocked = new Set<string>();

  constructor(calls: Map<string, Call>) {
    this.#calls = calls;
  }

  violation(what: string): void {
    this.violations.push(what);
  }

  note(written: Written): void {
    this.#written.push(written);
  }

  /** From now on no call may be admitted by this key, or any key of this organization. */
  block(id: string): void {
    this.#blocked.add(id);
  }

  look(): void {
    if (this.#written.length === 0) return;
    const written = this.#written;
    this.#written = [];
    const rollups: Item[] = [];
    const entries: Entry[] = [];
    for (const { table, before, after } of written) {
      const pk = readText(after?.["pk"]);
      if (table === "counters" && after?.["kind"]) this.#meterWritten(before, after);
      else if (table === "ledger" && pk.startsWith("L#") && after)
        entries.push(this.#entryWritten(before, after));
      else if (table === "ledger" && pk.startsWith("R#") && after && isHour(after)) rollups.push(after);
    }
    for (const rollup of rollups) this.#checkRollup(rollup);
    // An entry comes with its rollups or not at all.
    const places = new Set(rollups.map(placeOf));
    for (const { id, event } of entries) {
      if (event && !hoursOf(event).every((key) => places.has(placeOf(key)))) {
        this.violation(`I5 ${id} is in no rollup`);
      }
    }
  }

  /** I1, I2, and that counts of calls never fall below nothing. */
  #meterWritten(before: Item | undefined, after: Item): void {
    const meter = readMeterItem(after);
    const held = [...meter.holds.values(), ...meter.seized.values()].reduce(
      (sum, { points }) => sum + points,
      0n,
    );
    const name = `${meter.meter}#${meter.shard}`;
    if (meter.granted !== meter.avail + held + meter.used) this.violation(`I1 ${name} does not balance`);
    for (const [request, { points }] of meter.holds) {
      if (before && names.hold(request) in before) continue;
      this.#held.set(request, { meter: name, points, seized: false, early: false });
      this.#checkBlocked(request);
    }
    for (const request of meter.seized.keys()) {
      const hold = this.#held.get(request);
      if (!hold || hold.seized) continue;
      hold.seized = true;
      hold.early = this.#calls.get(request)?.status === undefined;
    }
    if (meter.avail < -this.#overdraft(name)) this.violation(`I2 ${name} has ${meter.avail} left`);
    for (const [period, calls] of meter.periods) {
      if (calls < 0 || calls > monthlyQuota) this.violation(`${name} counts ${calls} calls of ${period}`);
    }
  }

  #checkBlocked(request: string): void {
    const key = this.#calls.get(request)?.key;
    for (const id of [key?.record.id, key?.organization.id]) {
      if (id !== undefined && this.#blocked.has(id))
        this.violation(`${request} was admitted after ${id} was stopped`);
    }
  }

  /** What a wallet may be overdrawn by: what calls used beyond their hold, or after it was taken (billing.md §2.5). */
  #overdraft(meter: string): bigint {
    let sum = 0n;
    for (const [request, hold] of this.#held) {
      const script = hold.meter === meter ? this.#calls.get(request)?.script : undefined;
      const beyond = script ? costOf(script) - (hold.seized ? 0n : hold.points) : 0n;
      if (beyond > 0n) sum += beyond;
    }
    return sum;
  }

  #entryWritten(before: Item | undefined, after: Item): Entry {
    const entry = readEntry(after);
    if (before) this.violation(`the entry ${entry.id} was changed`);
    const { event } = entry;
    if (!event) return entry;
    if (!this.#held.has(event.id)) this.violation(`I6 ${entry.id} has no admission`);
    const old = this.#final.get(event.id);
    if (entry.kind === "usage") this.#bases.set(event.id, (this.#bases.get(event.id) ?? 0) + 1);
    if (entry.kind === "usage" && old) this.violation(`I3 ${event.id} has two base entries`);
    this.#final.set(event.id, entry);
    const change = [event.calls, parsePoints(event.cost_points), parsePoints(event.list_points)].map(BigInt);
    const taken = old?.event
      ? [old.event.calls, parsePoints(old.event.cost_points), parsePoints(old.event.list_points)].map(BigInt)
      : [];
    for (const key of hoursOf(event)) {
      const place = placeOf(key);
      const sums = this.#sums.get(place) ?? [0n, 0n, 0n];
      this.#sums.set(
        place,
        sums.map((sum, i) => sum + (change[i] ?? 0n) - (taken[i] ?? 0n)),
      );
    }
    return entry;
  }

  /** I5: a rollup is the sum of its entries, whenever it is looked at. */
  #checkRollup(rollup: Item): void {
    const { calls, cost_points, list_points } = readRollup(rollup).sums;
    const place = placeOf(rollup);
    const expected = this.#sums.get(place) ?? [0n, 0n, 0n];
    if (String([calls, cost_points, list_points]) !== String(expected))
      this.violation(`I5 ${place} differs from its entries`);
  }

  /** What holds once nothing is under way any more: I3, I7, I8, I9, and the audit's word on I4. */
  close(db: MemoryDynamoDb): void {
    for (const item of db.items("counters")) {
      if (!item["kind"]) continue;
      const { meter, holds, seized } = readMeterItem(item);
      for (const request of [...holds.keys(), ...seized.keys()])
        this.violation(`I8 ${request} is still held on ${meter}`);
    }
    for (const call of this.#calls.values()) this.#closeCall(call);
  }

  #closeCall(call: Call): void {
    const bases = this.#bases.get(call.id) ?? 0;
    const event = this.#final.get(call.id)?.event;
    if (call.asked > 0 && bases !== 1) this.violation(`I3 ${call.id} was sent and has ${bases} base entries`);
    const promised = call.sawEnd && !call.gap;
    if (promised && event?.source !== "gateway")
      this.violation(`I7 ${call.id} was answered, and its entry is a guess`);
    if (promised && reports(call.script) && event) {
      const { input_tokens, output_tokens } = event.usage;
      const same = input_tokens === call.script.input && output_tokens === call.script.output;
      if (!same) this.violation(`I7 ${call.id} is billed ${input_tokens} and ${output_tokens} tokens`);
      const cost = call.key.record.mode === "payg" ? costOf(call.script) : 0n;
      if (parsePoints(event.cost_points) !== cost) this.violation(`I7 ${call.id} costs ${event.cost_points}`);
    }
    if (!event) return;
    const cost = parsePoints(event.cost_points);
    const over = cost > (this.#held.get(call.id)?.points ?? 0n);
    if (over && !event.flags.includes("overrun")) this.violation(`I9 ${call.id} costs more than it held`);
    if (
      !this.#held.get(call.id)?.early &&
      refusals.has(call.status ?? 0) &&
      cost + BigInt(event.calls) > 0n
    ) {
      this.violation(`${call.id} was refused with ${call.status}, and is charged`);
    }
  }
}

function costOf({ input, output }: Call["script"]): bigint {
  return BigInt(input) * inputPrice + BigInt(output) * outputPrice;
}

/** Whether an item of the rollups is an hour's; days, months and seals are beside it. */
function isHour(item: Item): boolean {
  return readText(item["sk"]).startsWith("H#");
}

/** The hours an event adds to: its organization's, and its project's. */
function hoursOf(event: UsageEvent): Item[] {
  const hour = spanOf(timeOf(event.id), "hour");
  return placesOf(event).map(({ organization, project }) =>
    rollupKey(organization, project, hour, event.model),
  );
}

function placeOf(item: Item): string {
  return `${readText(item["pk"])} ${readText(item["sk"])}`;
}
