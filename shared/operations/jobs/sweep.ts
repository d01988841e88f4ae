/**
 * Closes calls whose process died: every hold past its time is seized, then settled from the best
 * evidence there is (billing.md §2.6). Whatever is written here, a late real event corrects.
 */

import type { Replays } from "../../access/replays.ts";
import type { BillingMode } from "../../accounts/account.ts";
import { formatPoints } from "../../billing/points.ts";
import { charge } from "../../billing/pricing/charge.ts";
import { noUsage } from "../../billing/usage.ts";
import type { Entry, Ledger } from "../../ledger/ledger.ts";
import { settlementOfEvent, type UsageEvent, unsentEvent } from "../../ledger/usage-event.ts";
import { limits } from "../../limits.ts";
import type { BudgetShare, Intent, Settlement } from "../../meters/meter.ts";
import { timeOf } from "../../platform/id.ts";
import { describeError, type Log } from "../../platform/log.ts";
import { type ShardDeps, tendWallet } from "./shards.ts";

/** What a hold took, as the store gives it back. */
interface Held {
  points: bigint;
  tokens: number;
  period: string;
  /** A limited key, as the store knows it. */
  key?: string;
  budget?: BudgetShare;
}

/** A meter item as the sweep reads it. */
interface SweptMeter {
  meter: string;
  shard: number;
  mode: BillingMode;
  holds: Map<string, unknown>;
  seized: Map<string, Held>;
  opened: number;
  owner: string;
}

/** What the sweep asks of the meters; the store implements it. */
export interface SweptMeters {
  everyMeter(): AsyncIterable<SweptMeter>;
  intent(request: string): Promise<Intent | undefined>;
  seize(meter: string, shard: number, request: string): Promise<Held | undefined>;
  settleSeized(
    meter: string,
    shard: number,
    request: string,
    held: Held,
    settlement: Settlement,
  ): Promise<boolean>;
  closeIntent(request: string): Promise<Intent | undefined>;
  fixIntent(request: string): Promise<Intent | undefined>;
}

export interface SweepDeps {
  accounts: ShardDeps["accounts"];
  meters: SweptMeters & ShardDeps["meters"];
  ledger: Ledger;
  replays: Pick<Replays, "holder">;
  log: Log;
  now: () => number;
}

/** How many holds were closed, and from what. */
export interface SweepResult {
  seized: number;
  from_entry: number;
  estimated: number;
  voided: number;
  failed: number;
}

/** One pass. Holds younger than `older_than_seconds` (by default no call can be that old and alive) are left alone. */
export async function sweep(
  deps: SweepDeps,
  options: { older_than_seconds?: number } = {},
): Promise<SweepResult> {
  const before = deps.now() - (options.older_than_seconds ?? limits.holdExpirySeconds) * 1000;
  const result: SweepResult = { seized: 0, from_entry: 0, estimated: 0, voided: 0, failed: 0 };
  const wallets: SweptMeter[] = [];
  for await (const item of deps.meters.everyMeter()) {
    const { meter, shard, holds, seized } = item;
    if (needsTending(item)) wallets.push(item);
    const expired = [...holds.keys()].filter((request) => timeOf(request) <= before);
    for (const request of new Set([...seized.keys(), ...expired])) {
      try {
        const held = seized.get(request) ?? (await deps.meters.seize(meter, shard, request));
        if (!held) continue;
        result.seized += 1;
        const evidence = await close({ meter, shard, request, held }, deps);
        result[evidence] += 1;
        deps.log("warn", "hold_seized", { request, evidence });
      } catch (error) {
        // It stays seized: the next pass goes on where this one stopped.
        result.failed += 1;
        deps.log("error", "sweep_failed", { request, error: describeError(error) });
      }
    }
  }
  for (const wallet of wallets) {
    try {
      await tendWallet(deps, await ownerOf(wallet, deps));
    } catch (error) {
      result.failed += 1;
      deps.log("error", "shards_failed", { error: `${wallet.meter}: ${describeError(error)}` });
    }
  }
  return result;
}

/** Wallets with several shards, and those that are getting too many calls for one. */
function needsTending({ mode, shard, opened, holds }: SweptMeter): boolean {
  return mode === "payg" && shard === 0 && (opened > 1 || holds.size > limits.shardHolds);
}

/** Whose wallet it is: a wallet that has one shard does not say, but any call of it does. */
async function ownerOf({ owner, holds }: SweptMeter, { meters }: SweepDeps): Promise<string> {
  if (owner !== "") return owner;
  for (const request of holds.keys()) {
    const intent = await meters.intent(request);
    if (intent) return intent.organization;
  }
  return "";
}

interface SeizedHold {
  meter: string;
  shard: number;
  request: string;
  held: Held;
}

async function close(hold: SeizedHold, deps: SweepDeps): Promise<"from_entry" | "estimated" | "voided"> {
  let intent = await deps.meters.closeIntent(hold.request);
  const known = intent && (await deps.ledger.entry(intent.organization, hold.request));
  // It may be an earlier attempt's, with this hold's own still on its way, or be barred before this hold is settled
  // from what is billed by it: from now on nothing takes its place.
  if (!known && intent) intent = await deps.meters.fixIntent(hold.request);
  const calledOn = known?.event?.shard ?? intent?.shard;
  if (!intent || calledOn !== hold.shard) {
    // Nothing was ever sent on this hold, which goes back whole: without an intent no call was, and a call
    // that was refused here, or so it was told, went to another shard.
    const unused = { points: 0n, list_points: 0n, tokens: 0, give_back: true, at: deps.now() };
    await settleWith(hold, unused, deps);
    return "voided";
  }
  if (known) {
    await settleWith(hold, settlementOf(known), deps);
    return "from_entry";
  }
  const sent = await wasSent(intent, deps);
  const event = sent ? estimate(intent, hold.held, deps.now()) : sweptEvent(intent, hold.held, deps.now());
  const [recorded] = await deps.ledger.record([event]);
  // The real event may have come in between; then its entry is the one that counts.
  const entry =
    recorded === "recorded" ? undefined : await deps.ledger.entry(intent.organization, hold.request);
  await settleWith(hold, entry ? settlementOf(entry) : settlementOfEvent(event), deps);
  return entry ? "from_entry" : "estimated";
}

async function settleWith(
  { meter, shard, request, held }: SeizedHold,
  settlement: Settlement,
  deps: SweepDeps,
): Promise<void> {
  await deps.meters.settleSeized(meter, shard, request, held, settlement);
}

/** A base entry's settlement. Its correction, if there is one, has moved the meter by itself. */
function settlementOf(entry: Entry): Settlement {
  if (!entry.event) throw new TypeError(`entry ${entry.id} has no usage`);
  return settlementOfEvent(entry.event);
}

/**
 * Whether a call may have been sent: one with an idempotency key only if it had that key. A call that never had it
 * lost it to its twin, or died first; one that no longer has it ended without anybody seeing so, and what repeats
 * it is charged instead.
 */
async function wasSent({ scope, request }: Intent, { replays }: SweepDeps): Promise<boolean> {
  return scope === undefined || (await replays.holder(scope)) === request;
}

/**
 * What a call that died is charged: its input, which the provider was sent, and never more than was held.
 * Charging nothing would reward whoever can make us die (billing.md §2.6).
 */
function estimate(intent: Intent, held: Held, now: number): UsageEvent {
  const usage = { ...noUsage, input_tokens: intent.input_tokens };
  const value = charge(usage, intent.price).points;
  const cost = intent.mode === "payg" ? min(value, held.points) : 0n;
  return {
    ...sweptEvent(intent, held, now),
    usage,
    cost_points: formatPoints(cost),
    list_points: formatPoints(value),
    calls: 1,
    outcome: "truncated",
  };
}

/** What the sweep says of any call whose end it writes, with the counters that the real event has to correct. */
function sweptEvent(intent: Intent, { budget }: Held, now: number): UsageEvent {
  const counters = {
    ...(intent.mode === "subscription" && { period: intent.period }),
    ...(budget && { budget: budget.counter }),
  };
  return { ...unsentEvent(intent, "sweeper", now), ...counters, flags: ["swept"] };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
