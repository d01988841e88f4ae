/**
 * Sends an admitted call to the model's channels, one after the other, until one answers. Nothing is repeated once a
 * frame of an answer has been read (design §4 "Upstream errors"). Where a stream is late, the next channel is asked too
 * (`race.ts`).
 */
import { limits } from "../../base/limits.ts";
import { within } from "../../base/platform/pause.ts";
import { witnessOf } from "../routing/witness.ts";
import type { Admitted } from "./admit.ts";
import type { ChannelAnswer } from "./attempt.ts";
import { type Attempts, createAttempts, type Ended, type Sending, type SentAttempt } from "./attempts.ts";
import type { Deps } from "./deps.ts";
import { ForwardFailed } from "./failures.ts";
import type { RoutedCandidate } from "./route.ts";

/**
 * Sends a call until a channel answers it. Throws `ForwardFailed`, whose rejection is
 *
 * - `invalid_request` where the provider blames the request, or no channel that is left can carry it,
 * - `upstream_error` where every attempt failed,
 * - `no_channel` where no attempt could be made.
 */
export async function forward(admitted: Admitted, sending: Sending, deps: Deps): Promise<ChannelAnswer> {
  const attempts = createAttempts(admitted, sending, deps);
  for (let sent = await attempts.next(); sent; sent = await attempts.next()) {
    const ended = await endOf(sent, attempts);
    if (ended.outcome === "answered") {
      const { channel } = ended.attempt.placed;
      return { ...ended.answer, ...attempts.asked(), broke: () => noteBreak(channel, admitted, sending) };
    }
    if (ended.outcome === "blamed" && !attempts.passesOver(ended.error))
      throw new ForwardFailed(ended.error, attempts.asked());
  }
  throw attempts.failed();
}

/** How an attempt ends, or the race for it. It has been told then. */
async function endOf(sent: SentAttempt, attempts: Attempts): Promise<Ended> {
  const { first_byte_ms = limits.raceMinMs } = attempts.call.admitted.model.routing ?? {};
  const ended = attempts.mayRace() ? await within(sent.ended, first_byte_ms, undefined) : await sent.ended;
  if (ended) {
    attempts.tell(ended);
    return ended;
  }
  // Few calls wait for so long, so few processes load the code for it.
  const { raced } = await import("./race.ts");
  return await raced(sent, attempts);
}

/** Notes that a channel broke off a stream that it had begun. */
function noteBreak(
  { id, provider, own }: RoutedCandidate,
  { model, principal }: Admitted,
  { signal, notes }: Sending,
): void {
  if (signal.aborted || own) return;
  const witness = witnessOf(principal.organization.id);
  notes.note({ model: model.id, channel: id, provider, outcome: "fault", witness, probed: false });
}
