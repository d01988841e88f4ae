/**
 * Strict mode (billing.md §2.5): a streamed call of a strict model holds its output in steps. Before a step is used up,
 * the next one is held while the stream goes on. Where the balance has too little for it, the stream ends.
 */

import type { ErrorDetail, ErrorKey } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { describeError } from "../../base/platform/log.ts";
import { holdPoints, type UsageBounds } from "../../books/billing/pricing/hold-points.ts";
import type { PinnedPrice } from "../../books/billing/pricing/price.ts";
import type { Extension } from "../../books/meters/admission.ts";
import type { Ticket } from "../../books/meters/hold.ts";
import { tokensGuess } from "../chat/estimate.ts";
import { mostWith, type OwnTerms } from "../upstreams/own-terms.ts";
import type { Deps } from "./deps.ts";

/** What a strict call's hold covers, and the most output that the call can have. */
export interface Steps {
  /** What the hold covers now. */
  covered: UsageBounds;
  output_tokens_max: number;
}

/** What a call holds now. Without steps the hold covers all that the call can come to. */
interface HeldNow {
  ticket: Ticket;
  steps?: Steps | undefined;
}

interface Guarded extends HeldNow {
  request: { id: string };
  price: PinnedPrice;
}

/** What a call's hold covers now: all that it can use, or the steps that a strict model's stream has taken. */
export function coveredNow({
  bounds,
  steps,
}: {
  bounds: UsageBounds;
  steps?: Steps | undefined;
}): UsageBounds {
  return steps?.covered ?? bounds;
}

/** The most that a call costs, 10⁻¹⁸ points, as far as its hold covers it now, whoever's key pays its provider. */
export function mostPoints(quoted: {
  bounds: UsageBounds;
  steps?: Steps | undefined;
  price: PinnedPrice;
  own?: OwnTerms | undefined;
}): bigint {
  return mostWith(quoted.own, holdPoints(coveredNow(quoted), quoted.price));
}

/** The first step of a call with these bounds. Undefined where one step covers all of it. */
export function firstStep(bounds: UsageBounds): Steps | undefined {
  if (bounds.output_tokens <= limits.strictStepTokens) return undefined;
  return {
    covered: { ...bounds, output_tokens: limits.strictStepTokens },
    output_tokens_max: bounds.output_tokens,
  };
}

/**
 * The step that a hold of so many points covers already, where it may be larger than the first one. Undefined where the
 * hold covers the whole call.
 */
export function stepWithin(bounds: UsageBounds, price: PinnedPrice, points: bigint): Steps | undefined {
  let steps = firstStep(bounds);
  for (;;) {
    const next = steps && nextStep(steps);
    if (!steps || !next || holdPoints(next, price) > points) return steps;
    steps = next.output_tokens < steps.output_tokens_max ? { ...steps, covered: next } : undefined;
  }
}

/** What the next step of a call covers. */
function nextStep({ covered, output_tokens_max }: Steps): UsageBounds {
  const output_tokens = Math.min(covered.output_tokens + limits.strictStepTokens, output_tokens_max);
  return { ...covered, output_tokens };
}

/** Keeps the hold of a stream ahead of its output. */
export interface Guard {
  /**
   * Must be called after every piece of output, with the bytes so far. Waits only when the stream is ahead of its hold.
   */
  reached(outputBytes: () => number): Promise<void> | undefined;
  /** Waits for a step that is being held, and gives what the call holds then: its settlement needs it. */
  idle(): Promise<HeldNow>;
  /** Why the stream must end; undefined while it may go on. */
  refused(): StepRefusal | undefined;
}

/** The error at the end of a stream that got no further step. */
export interface StepRefusal {
  key: ErrorKey;
  detail: ErrorDetail;
}

/** The guard of a call. It calls `stop` once where no further step is to be had, whatever the stream waits for. */
export function createGuard(admitted: Guarded, stop: () => void, deps: Deps): Guard {
  const { request, price, steps: first } = admitted;
  let { ticket } = admitted;
  if (!first) return { reached: () => undefined, idle: async () => ({ ticket }), refused: () => undefined };
  let steps = first;
  let refused: StepRefusal | undefined;
  let pending: Promise<void> | undefined;

  const extend = async (): Promise<void> => {
    const next = nextStep(steps);
    const extension = await extendHold(ticket, holdPoints(next, price), request.id, deps);
    if (extension.extended) {
      ticket = extension.ticket;
      steps = { ...steps, covered: next };
    } else {
      const { error: key, message } = extension;
      refused = { key, detail: message === undefined ? {} : { message } };
      deps.log("warn", "stream_stopped", { request: request.id });
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
      return { ticket, steps };
    },
    refused: () => refused,
  };
}

/** The part of a step that may be used before the next one is held. */
const extendAt = 0.8;

/**
 * Raises the call's hold to so many points, and takes them from other shards of the wallet if need be. Never rejects.
 */
async function extendHold(
  ticket: Ticket,
  points: bigint,
  request: string,
  { meters, log }: Deps,
): Promise<Extension> {
  const { hold } = ticket;
  try {
    const extension = await meters.extend(ticket, points);
    if (extension.extended || !extension.tryOtherShard) return extension;
    const step = { ...hold, points: points - hold.points };
    const gathered = await meters.gather(step, hold.shard, "the next part of the answer");
    if ("shard" in gathered) return await meters.extend(ticket, points);
    const { error, message } = gathered;
    return message === undefined ? extension : { extended: false, error, message };
  } catch (error) {
    // Nobody knows whether the hold was raised. If it was, its settlement fails, and the sweep settles what is there.
    log("error", "extension_failed", { request, error: describeError(error) });
    return { extended: false, error: "internal" };
  }
}
