/**
 * Strict mode (billing.md §2.5): a streamed call of a strict model holds its output step by step. Before a
 * step is used up the next one is held beside the stream; where the balance has none, the stream ends.
 */
import { holdPoints, type UsageBounds } from "../billing/pricing/charge.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import { tokensGuess } from "../chat/estimate.ts";
import type { ErrorDetail, ErrorKey } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Extension, Hold } from "../meters/meter.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "./deps.ts";

/** How far a strict call's hold reaches, and how far it may come to. */
export interface Steps {
  /** What the hold covers now. */
  covered: UsageBounds;
  output_tokens_max: number;
}

/** A call that was admitted; without steps it holds all it can come to. */
interface Guarded {
  request: { id: string };
  hold: Hold;
  price: PinnedPrice;
  steps?: Steps;
}

/** The first step of a call whose dearest usage these bounds are; undefined when that needs no further one. */
export function firstStep(bounds: UsageBounds): Steps | undefined {
  if (bounds.output_tokens <= limits.strictStepTokens) return undefined;
  return {
    covered: { ...bounds, output_tokens: limits.strictStepTokens },
    output_tokens_max: bounds.output_tokens,
  };
}

/** Keeps the hold of a stream ahead of its output. */
export interface Guard {
  /** To be told of every bit of output, by its bytes so far. Waits only when the stream is ahead of its hold. */
  reached(outputBytes: () => number): Promise<void>;
  /** Resolves when no step is being asked for any more: a hold is settled as it then is. */
  idle(): Promise<void>;
  /** Why the stream must end, once it must. */
  refused(): Refused | undefined;
}

/** The error that a stream ends with because it got no further step. */
export interface Refused {
  key: ErrorKey;
  detail: ErrorDetail;
}

const unguarded: Guard = { reached: async () => {}, idle: async () => {}, refused: () => undefined };

/** The guard of a call; `stop` is called once when no further step is to be had, whatever the stream is waiting for. */
export function createGuard(admitted: Guarded, stop: () => void, deps: Deps): Guard {
  const { steps } = admitted;
  if (!steps) return unguarded;
  let refused: Refused | undefined;
  let pending: Promise<void> | undefined;

  const extend = async (): Promise<void> => {
    const { covered, output_tokens_max } = steps;
    const output_tokens = Math.min(covered.output_tokens + limits.strictStepTokens, output_tokens_max);
    const next = { ...covered, output_tokens };
    const extension = await extendHold(admitted, holdPoints(next, admitted.price), deps);
    if (extension.extended) steps.covered = next;
    else {
      const { error: key, message } = extension;
      refused = { key, detail: message === undefined ? {} : { message } };
      deps.log("warn", "stream_stopped", { request: admitted.request.id });
      stop();
    }
  };

  return {
    async reached(outputBytes) {
      while (!refused && steps.covered.output_tokens < steps.output_tokens_max) {
        const output = tokensGuess(outputBytes());
        const held = steps.covered.output_tokens;
        if (output < held * extendAt) return;
        pending ??= extend().finally(() => {
          pending = undefined;
        });
        if (output < held) return;
        await pending;
      }
    },
    async idle() {
      while (pending) await pending;
    },
    refused: () => refused,
  };
}

/** The part of a step after which the next one is held. */
const extendAt = 0.8;

/** Brings the call's hold to so many points, from other shards of the wallet too. Never rejects. */
async function extendHold(
  { hold, request }: Guarded,
  points: bigint,
  { meters, log }: Deps,
): Promise<Extension> {
  try {
    let extension = await meters.extend(hold, points);
    if (!extension.extended && extension.elsewhere) {
      const gathered = await meters.gather({ ...hold, points: points - hold.points }, hold.shard);
      if ("shard" in gathered) extension = await meters.extend(hold, points);
    }
    if (extension.extended) hold.points = points;
    return extension;
  } catch (error) {
    // Whether it was raised is not known: then its settlement fails, and the sweep settles what is there.
    log("error", "extension_failed", { request: request.id, error: describeError(error) });
    return { extended: false, error: "internal" };
  }
}
