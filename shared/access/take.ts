/**
 * Taking a hold and writing the intent beside it, both acknowledged before a byte goes upstream: on any shard
 * of the wallet that will have the call, and in the end on the one that all its money is brought to.
 */

import { limits } from "../limits.ts";
import type { Admission, Hold, Intent, Meters, Refusal } from "../meters/meter.ts";
import { type Home, pickShard } from "../meters/shards.ts";

interface TakeDeps {
  meters: Meters;
}

/** Which of its meter's shards a call may be held on: any, or that of the key it must be counted with. */
export interface ShardChoice {
  shards: number;
  home: Home;
}

/** What became of a wanted hold, with the shard that it was taken on. */
export interface Taken {
  hold: Hold;
  admission: Admission;
}

/**
 * The hold as it was taken, or as it was refused last. Throws what the meter throws, and when there is no intent.
 * `disown` runs when a refused call may be held all the same, because no write that would end that was taken.
 */
export async function take(
  hold: Hold,
  intent: Intent,
  choice: ShardChoice,
  deps: TakeDeps,
  disown?: () => Promise<unknown>,
): Promise<Taken> {
  const attempts: Hold[] = [];
  const takeAt = (shard: number) => {
    const tried = { ...hold, shard, attempt: attempts.length + 1 };
    attempts.push(tried);
    return attempt(tried, { ...intent, shard }, deps);
  };
  let admitted = false;
  try {
    const taken = await takeAnywhere(hold, choice, takeAt, deps);
    admitted = taken.admission.admitted;
    return taken;
  } finally {
    if (!admitted && attempts.some(deps.meters.isInDoubt)) await disown?.();
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
    if (taken.admission.admitted || !taken.admission.elsewhere) return taken;
    refusals.push(taken.admission);
    shards = taken.admission.shards ?? shards;
  }
  const last = refusals.at(-1);
  if (!last) throw new RangeError("a meter without shards");
  if (!refusals.some(({ error }) => error === "insufficient_balance")) return { hold, admission: last };
  return await takeGathered(hold, pickHome(shards, choice), takeAt, deps);
}

/** No shard that was tried has enough; together they may. What was brought together others may take first. */
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
    if (taken.admission.admitted || !taken.admission.elsewhere) return taken;
  }
  // The money is there, and goes to others each time: that is no lack of balance.
  const error = "global_rate_limited";
  return { hold, admission: { admitted: false, error, retry_after_seconds: 1, standing: {} } };
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
    await deps.meters.abandon(hold);
    throw intended.reason;
  }
  return { hold, admission: admission.value };
}
