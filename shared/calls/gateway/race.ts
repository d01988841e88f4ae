/**
 * The race of a call for the first frame of its stream (shared/calls/routing/README.md "The race"). The client pays for
 * the winner alone, and what the loser costs is the house's. This is loaded with the first call that waits for long.
 */
import { limits } from "../../base/limits.ts";
import { describeError } from "../../base/platform/log.ts";
import { raceIfLate } from "../routing/race.ts";
import { witnessOf } from "../routing/witness.ts";
import type { Attempts, Ended, SentAttempt } from "./attempts.ts";

/** How an attempt ends, or the race for it if it is late and may be raced. It has been told then. */
export async function raced(late: SentAttempt, attempts: Attempts): Promise<Ended> {
  const { admitted, sending, deps } = attempts.call;
  const { model, principal } = admitted;
  const ended = await raceIfLate<SentAttempt, Ended>(late, {
    board: () => sending.notes.board(model.id),
    channel: late.placed.channel.id,
    model: {
      reasons: model.capabilities.includes("reasoning"),
      first_byte_ms: model.routing?.first_byte_ms,
    },
    witness: witnessOf(principal.organization.id),
    isWorthwhile: () => isWorthwhile(attempts),
    now: deps.now,
    async next(isWanted) {
      const rival = await attempts.next(isWanted);
      attempts.isRaced ||= rival !== undefined;
      return rival;
    },
    failed: (error) => logUnsent(error, attempts),
    tell: (each, isLate) => attempts.tell(each, isLate),
    tellLost: (loser, isLate) => tellLost(loser, isLate, attempts),
  });
  attempts.isWon = attempts.isRaced && ended.outcome === "answered";
  return ended;
}

/**
 * Whether asking the next channel may help, and is not too dear. A channel that fails or limits us would not be faster.
 * A long request takes long on every channel, and its loser costs the most.
 */
function isWorthwhile({ upcoming, call: { admitted } }: Attempts): boolean {
  const { health = "open" } = upcoming() ?? {};
  return health !== "open" && health !== "limited" && admitted.input_tokens <= limits.raceInputTokensMax;
}

/** Tells of a loser. Nobody knows what it used: its provider reports that at the end, which nobody reads. */
function tellLost(loser: SentAttempt, isLate: boolean, attempts: Attempts): void {
  const { admitted, deps } = attempts.call;
  const { channel } = loser.placed;
  deps.log("info", "race_lost", {
    request: admitted.request.id,
    model: admitted.model.id,
    provider: channel.provider,
    credential: channel.secret,
    ...attempts.note(loser, "lost", { raced: isLate }),
    input_tokens: admitted.input_tokens,
  });
}

function logUnsent(error: unknown, { call: { admitted, deps } }: Attempts): undefined {
  deps.log("warn", "race_not_sent", {
    request: admitted.request.id,
    model: admitted.model.id,
    error: describeError(error),
  });
}
