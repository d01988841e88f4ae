/**
 * The one conditional write by which a call gets its hold. The intent is written in parallel, and both are acknowledged
 * before a byte goes to a provider. Any shard of the wallet may take the call. If no shard has enough points by itself,
 * points of several are moved to one of them.
 */
import { GatewayError } from "../../base/errors.ts";
import type { ProtocolName } from "../../base/http/routes.ts";
import { limits } from "../../base/limits.ts";
import { isOverload } from "../../base/platform/aws.ts";
import { HoldMayStand, type LimitStatus, type Refusal, type Taken } from "../../books/meters/admission.ts";
import { shardsShared } from "../../books/meters/budget-parts.ts";
import { budgetAsks, type Hold, type Ticket } from "../../books/meters/hold.ts";
import type { Intent } from "../../books/meters/intent.ts";
import type { CallMeters } from "../../books/meters/meter.ts";
import { pickShard } from "../../books/meters/shards.ts";
import type { AccessDeps } from "./deps.ts";
import { KeyEnded } from "./key-ended.ts";
import type { ShardChoice } from "./meter.ts";
import type { WhatFits } from "./refused-hold.ts";
import type { Rushes } from "./rushes.ts";

/** The client may try again. */
const busy = {
  admitted: false,
  error: "global_rate_limited",
  retryAfterSeconds: 1,
  limitStatus: {},
} as const;

/** How a hold is taken, and how its refusal is told. */
interface HoldRequest {
  /** The protocol whose rate-limit headers a refusal has. */
  dialect: ProtocolName;
  /** Asks the meter. */
  take: () => Promise<Taken>;
  /** Names a smaller call that would fit, for a call that costs more than there is. */
  whatFits?: WhatFits;
}

/**
 * Takes a hold, and gives its ticket and what is left of the limits. Throws the meter's refusal, which may be one that
 * this process remembers (`refusals.ts`), `KeyEnded` where the record of the key or its organization is not the last, and
 * `global_rate_limited` where the meter is too busy to answer.
 */
export async function holdOrRefuse(
  wanted: Hold,
  { dialect, take, whatFits }: HoldRequest,
  deps: Pick<AccessDeps, "refusals" | "now">,
): Promise<{ ticket: Ticket; limitStatus: LimitStatus }> {
  const { hold, admission } = await deps.refusals.ask(wanted, take).catch((error: unknown) => {
    throw refuseUnmetered(error);
  });
  if (admission.admitted) return { ticket: admission.ticket, limitStatus: admission.limitStatus };
  if (admission.error === "invalid_key") throw new KeyEnded(hold.key, admission.isOfOrganization);
  const { errorOf } = await import("./refused-hold.ts");
  throw await errorOf(admission, hold, { dialect, whatFits, now: deps.now() });
}

interface TakeDeps {
  meters: Pick<CallMeters, "admit" | "intend" | "gather" | "abandon">;
  /** Is told where the wallet has too few shards. */
  rushes: Pick<Rushes, "note">;
}

interface TakeOptions {
  choice: ShardChoice;
  /**
   * Publishes that the call was never sent, because of the error. Runs where the call is refused but its hold may be on
   * the meter.
   */
  publishUnsent?: (error: unknown) => Promise<unknown>;
  /** The call begins for so many a time (`byLastRecord`). Absent: the first. */
  reading?: number | undefined;
}

/** More than one beginning of a call has, its fallbacks included: so the intents of each are later than those before. */
const attemptsOfReading = 100;

/**
 * Tries shards until one takes the hold, or none can. Gives the answer of the last one. Throws what the meter throws,
 * and the error of the intent's write where that failed.
 */
export async function take(
  hold: Hold,
  intent: Intent,
  { choice, publishUnsent, reading = 1 }: TakeOptions,
  deps: TakeDeps,
): Promise<Taken> {
  // A copy of an intent that was written before may arrive late. It must not replace one of this beginning.
  let attempts = (reading - 1) * attemptsOfReading;
  let mayStand = false;
  let refusal: unknown;
  const takeAt = async (shard: number) => {
    attempts += 1;
    const taken = await attempt({ ...hold, shard, attempt: attempts }, { ...intent, shard }, deps);
    const { rush } = taken.admission;
    if (rush) deps.rushes.note({ ...intent, shards: choice.shards }, rush);
    mayStand ||= !taken.admission.admitted && taken.admission.holdMayStand === true;
    return taken;
  };
  try {
    const last = await takeAnywhere(hold, choice, takeAt, deps);
    const taken = mayStand ? lastWord(last) : last;
    if (!taken.admission.admitted) refusal = new GatewayError(taken.admission.error);
    return taken;
  } catch (error) {
    mayStand ||= error instanceof HoldMayStand;
    refusal = error instanceof HoldMayStand ? error.cause : error;
    throw refusal;
  } finally {
    if (refusal !== undefined && mayStand) await publishUnsent?.(refusal);
  }
}

/**
 * The answer to a call that the books will know as never sent. It must not begin anew by another record of its key, as one
 * whose key was changed does (`byLastRecord`): its client may repeat it.
 */
function lastWord(taken: Taken): Taken {
  const { admission } = taken;
  return admission.admitted || admission.error !== "invalid_key" ? taken : { ...taken, admission: busy };
}

async function takeAnywhere(
  hold: Hold,
  choice: ShardChoice,
  takeAt: (shard: number) => Promise<Taken>,
  deps: TakeDeps,
): Promise<Taken> {
  const tried = new Set<number>();
  const refusals: Refusal[] = [];
  let { shards } = choice;
  const budgets = budgetAsks(hold);
  while (tried.size < limits.shardTriesMax) {
    const shard = pickShard(shardsShared(budgets, shards), choice.home, tried);
    if (shard === undefined) break;
    tried.add(shard);
    const taken = await takeAt(shard);
    if (taken.admission.admitted || !taken.admission.tryOtherShard) return taken;
    refusals.push(taken.admission);
    shards = taken.admission.shards ?? shards;
  }
  const last = refusals.at(-1);
  if (!last) throw new RangeError("a meter without shards");
  if (!refusals.some(({ error }) => error === "insufficient_balance")) return { hold, admission: last };
  return await takeGathered(hold, pickHome(shards, choice), takeAt, deps);
}

/**
 * Moves points to one shard and takes the hold there. Another call may use those points first, so this is tried for
 * several rounds.
 */
async function takeGathered(
  hold: Hold,
  home: number | undefined,
  takeAt: (shard: number) => Promise<Taken>,
  deps: TakeDeps,
): Promise<Taken> {
  for (let round = 0; round < limits.gatherRoundsMax; round++) {
    const gathered = await deps.meters.gather(hold, home);
    if (!("shard" in gathered)) return { hold, admission: gathered };
    const taken = await takeAt(gathered.shard);
    if (taken.admission.admitted || !taken.admission.tryOtherShard) return taken;
  }
  // The balance covers the call, but other calls used the points first in every round. The client may try again.
  return { hold, admission: busy };
}

function pickHome(shards: number, { home }: ShardChoice): number | undefined {
  return home === null ? undefined : pickShard(shards, home, new Set());
}

async function attempt(hold: Hold, intent: Intent, deps: TakeDeps): Promise<Taken> {
  const [admission, intended] = await Promise.allSettled([
    deps.meters.admit(hold),
    deps.meters.intend(intent, hold.attempt),
  ]);
  if (admission.status === "rejected") throw admission.reason;
  if (admission.value.admitted && intended.status === "rejected") {
    const isGivenUp = await deps.meters.abandon(admission.value.ticket);
    throw isGivenUp ? intended.reason : new HoldMayStand(intended.reason);
  }
  return { hold, admission: admission.value };
}

/**
 * The error of a store that failed, for the client. A store that is too busy admits nobody, because nothing is ever
 * sent unmetered: that is `global_rate_limited` (design §4 "Overload"). Any other error is given back as it is.
 */
export function refuseUnmetered(error: unknown): unknown {
  if (!isOverload(error)) return error;
  return new GatewayError("global_rate_limited", { headers: { "retry-after": "1" } });
}
