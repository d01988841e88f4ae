/**
 * Closes calls whose process died (billing.md §2.6), by the best evidence. The real event corrects that if it comes.
 */

import { limits } from "../../base/limits.ts";
import { timeOf } from "../../base/platform/id.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import { withUnasked } from "../../books/billing/pricing/rates.ts";
import { noUsage } from "../../books/billing/usage.ts";
import { type CallEnd, endCall, neverSent } from "../../books/ledger/end-call.ts";
import type { Entry, Ledger } from "../../books/ledger/ledger.ts";
import { settlementOfEvent, type UsageEvent } from "../../books/ledger/usage-event.ts";
import { givenBack, type Held, type Settlement } from "../../books/meters/hold.ts";
import { callOf, type Intent } from "../../books/meters/intent.ts";
import { keepCounters } from "../../books/meters/kept-counters.ts";
import type { Meter, MeterList, Meters } from "../../books/meters/meter.ts";
import { dayPointsCounter } from "../../books/meters/window.ts";
import type { Replays } from "../../calls/access/replays.ts";
import { type ShardDeps, tendWallet } from "./shards.ts";

type SweptField = "meter" | "shard" | "mode" | "holds" | "seized" | "opened" | "owner";
type SweptMeter = Pick<Meter, SweptField>;

export interface SweepDeps {
  accounts: ShardDeps["accounts"];
  meters: Pick<Meters, "intent" | "seize" | "settleSeized" | "closeIntent" | "fixIntent"> &
    MeterList<SweptField> &
    ShardDeps["meters"];
  ledger: Ledger;
  replays: Pick<Replays, "holder">;
  log: Log;
  now: () => number;
}

/** How many holds there were, how many of them were closed, and by what evidence. */
export interface SweepResult {
  /** The holds of all meters that this pass found, before it closed any. */
  holds: number;
  seized: number;
  from_entry: number;
  estimated: number;
  voided: number;
  failed: number;
}

/** One pass. It leaves holds younger than `older_than_seconds` alone; by default no call of that age can be alive. */
export async function sweep(options: { older_than_seconds?: number }, deps: SweepDeps): Promise<SweepResult> {
  const before = deps.now() - (options.older_than_seconds ?? limits.holdExpirySeconds) * 1000;
  const result: SweepResult = { holds: 0, seized: 0, from_entry: 0, estimated: 0, voided: 0, failed: 0 };
  const wallets: SweptMeter[] = [];
  for await (const item of deps.meters.everyMeter()) {
    const { meter, shard, holds, seized } = item;
    result.holds += holds.size;
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
        // The hold stays seized, and the next pass goes on here.
        result.failed += 1;
        deps.log("error", "sweep_failed", { request, error: describeError(error) });
      }
    }
  }
  for (const wallet of wallets) {
    try {
      await tendWallet(await ownerOf(wallet, deps), undefined, deps);
    } catch (error) {
      result.failed += 1;
      deps.log("error", "shards_failed", { error: `${wallet.meter}: ${describeError(error)}` });
    }
  }
  return result;
}

/** Wallets with several shards, and wallets with too many calls for one shard or for hours that are not spread. */
function needsTending({ mode, shard, opened, holds }: SweptMeter): boolean {
  return mode === "payg" && shard === 0 && (opened > 1 || holds.size > limits.spreadHolds);
}

/** The organization of a wallet. A wallet with one shard does not name it, but the intent of any call does. */
export async function ownerOf(
  { owner, holds }: Pick<Meter, "owner" | "holds">,
  { meters }: { meters: Pick<Meters, "intent"> },
): Promise<string> {
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
  // This call is about to be billed by its intent. A later attempt could still write another intent, and an abandoned
  // call could bar this one. So the intent is fixed first.
  if (!known && intent) intent = await deps.meters.fixIntent(hold.request);
  const calledOn = known?.event?.shard ?? intent?.shard;
  if (!intent || calledOn !== hold.shard) {
    // Nothing was sent on this hold. A call without an intent is never sent, and a call that was refused on this shard,
    // or got no answer from it, was sent on another one.
    await settleWith(hold, givenBack(deps.now()), deps);
    return "voided";
  }
  if (known) {
    await settleWith(hold, settlementOf(known), deps);
    return "from_entry";
  }
  const event = eventOf(intent, hold.held, await wasSent(intent, deps), deps.now());
  const [recorded] = await deps.ledger.record([event]);
  // The real event may have been recorded in between. Then its entry counts.
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

/** The settlement of a base entry. A correction has changed the meter by itself. */
function settlementOf(entry: Entry): Settlement {
  if (!entry.event) throw new TypeError(`entry ${entry.id} has no usage`);
  return settlementOfEvent(entry.event);
}

/**
 * Whether a call may have been sent: with an idempotency key only if it holds that key. If it lost the key, the call
 * that has the key now is charged instead.
 */
async function wasSent({ scope, request }: Intent, { replays }: SweepDeps): Promise<boolean> {
  return scope === undefined || (await replays.holder(scope)) === request;
}

/** A sent call is charged its input, and at most what was held: a free one would reward who can kill our process. */
function eventOf(intent: Intent, held: Held, sent: boolean, now: number): UsageEvent {
  const unsent: CallEnd = {
    ...neverSent("sweeper", now),
    ...(intent.mode === "subscription" && { period: intent.period }),
    ...keepCounters(held),
    ...(held.dayPoints !== undefined && { day: dayPointsCounter(timeOf(intent.request)) }),
    ...(intent.requested_model !== undefined && { requested_model: intent.requested_model }),
    flags: ["swept"],
  };
  if (!sent) return endCall(callOf(intent), unsent);
  return endCall(callOf(intent), {
    ...unsent,
    usage: withUnasked({ ...noUsage, input_tokens: intent.input_tokens }, intent.price.price),
    outcome: "truncated",
    // Whoever waited for its answer was told nothing.
    error: "internal",
    free: false,
    chargeMax: held.points,
  });
}
