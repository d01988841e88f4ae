/** Attempts of calls to be admitted, as numbers: a wallet and its shard, and how far the call has come. */
import { limits } from "#shared/base/limits.ts";
import { awsOptionsFromEnv } from "#shared/base/platform/aws.ts";

/** What of an attempt is still to be done. */
export const [readingKey, readingOwner, holding, intending] = [1, 2, 4, 8];
const pendingMax = 16;
/** How often the transport tries. */
export const { attemptsMax } = awsOptionsFromEnv({});

/** An attempt of a call to be admitted. */
export interface Attempt {
  wallet: number;
  shard: number;
  /** Shards that were tried before this one. */
  tried: number;
  attempt: number;
  pending: number;
}

/** An attempt as a number. */
export function writeCall({ wallet, shard, tried, attempt, pending }: Attempt): number {
  const place = wallet * limits.shardsMax + shard;
  return ((place * limits.shardTriesMax + tried) * (attemptsMax + 1) + attempt) * pendingMax + pending;
}

/** The attempt that `writeCall` made a number of. */
export function readCall(code: number): Attempt {
  const { attempt, rest } = readAttempt(Math.floor(code / pendingMax));
  const place = Math.floor(rest / limits.shardTriesMax);
  return {
    wallet: Math.floor(place / limits.shardsMax),
    shard: place % limits.shardsMax,
    tried: rest % limits.shardTriesMax,
    attempt,
    pending: code % pendingMax,
  };
}

/** The number of the attempt at the end of a code, from 1, and what stands before it. */
export function readAttempt(code: number): { attempt: number; rest: number } {
  return { attempt: code % (attemptsMax + 1), rest: Math.floor(code / (attemptsMax + 1)) };
}
