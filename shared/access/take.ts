/**
 * Takes a hold and writes the intent beside it. Both are acknowledged before a byte goes upstream. Any shard of the
 * wallet may take the call. Where none has enough by itself, their money is brought together on one.
 */
import { limits } from "../limits.ts";
import { type Admission, HoldMayStand, type Refusal } from "../meters/admission.ts";
import type { Hold, Intent } from "../meters/hold.ts";
import type { CallMeters } from "../meters/meter.ts";
import { type Home, pickShard } from "../meters/shards.ts";

interface TakeDeps {
  meters: Pick<CallMeters, "admit" | "intend" | "gather" | "abandon">;
}

/** Which of its meter's shards may hold a call: any, or only the one on which all calls of its key are counted. */
export interface ShardChoice {
  shards: number;
  home: Home;
}

/** What became of a wanted hold, with the shard that was asked last. */
export interface Taken {
  hold: Hold;
  admission: Admission;
}

/** How a hold is to be taken. */
interface Taking {
  choice: ShardChoice;
  /** Runs when a refused call may be held all the same. It publishes that the call was never sent. */
  publishUnsent?: () => Promise<unknown>;
}

/** The hold as it was taken, or as it was refused last. Throws what the meter throws, and where there is no intent. */
export async function take(
  hold: Hold,
  intent: Intent,
  { choice, publishUnsent }: Taking,
  deps: TakeDeps,
): Promise<Taken> {
  let attempts = 0;
  let mayStand = false;
  const takeAt = async (shard: number) => {
    attempts += 1;
    const taken = await attempt({ ...hold, shard, attempt: attempts }, { ...intent, shard }, deps);
    mayStand ||= !taken.admission.admitted && taken.admission.holdMayStand === true;
    return taken;
  };
  let admitted = false;
  try {
    const taken = await takeAnywhere(hold, choice, takeAt, deps);
    admitted = taken.admission.admitted;
    return taken;
  } catch (error) {
    if (!(error instanceof HoldMayStand)) throw error;
    mayStand = true;
    throw error.cause;
  } finally {
    if (!admitted && mayStand) await publishUnsent?.();
  }
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
  while (tried.size < limits.shardTriesMax) {
    const shard = pickShard(shards, choice.home, tried);
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

/** No shard that was asked has enough; together they may have. Other calls may take what was brought together first. */
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
  // The balance covers the call, but other calls took it in every round: that is not a lack of balance.
  const error = "global_rate_limited";
  return { hold, admission: { admitted: false, error, retryAfterSeconds: 1, limitStatus: {} } };
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
    const isGone = await deps.meters.abandon(admission.value.ticket);
    throw isGone ? intended.reason : new HoldMayStand(intended.reason);
  }
  return { hold, admission: admission.value };
}
