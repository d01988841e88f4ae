/** What is told of an attempt's end beside its outcome: its status, whose key it went with, and what is booked of it. */
import { bookHouseRates, withAskedTokens } from "../../books/ledger/house-rates.ts";
import type { AttemptOutcome, ToldAttempt } from "../../books/ledger/usage-event.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import type { RoutedCandidate } from "./route.ts";

/** How an attempt ended. */
interface AttemptEnd {
  outcome: AttemptOutcome;
  /** The HTTP status that the provider refused with. */
  status?: number | undefined;
  /** The provider could not be reached, or refuses our key. */
  is_certain?: boolean;
}

type AskedAt = Pick<RoutedCandidate, "id" | "cost" | "own">;

/** The facts of an attempt's end. */
export function toldFacts(
  channel: AskedAt,
  end: AttemptEnd,
  admitted: Pick<Admitted, "input_tokens">,
  deps: Pick<Deps, "catalog">,
): Pick<ToldAttempt, "status" | "own_key" | "house"> {
  const house = channel.own ? undefined : bookedCost(channel, end, admitted, deps);
  return {
    ...(end.status !== undefined && { status: end.status }),
    ...(channel.own && { own_key: true as const }),
    ...(house !== undefined && { house }),
  };
}

/**
 * What is booked of an attempt with a key of ours: its channel's cost at this moment (books/reports/margin.md "What is
 * booked"). One without an answer is booked with its input where the provider may bill it, because it was reached and has
 * refused nothing. Undefined where the provider bills nothing, and for an answer of a channel that the catalog has no cost
 * for.
 */
function bookedCost(
  { id, cost }: AskedAt,
  { outcome, status, is_certain = false }: AttemptEnd,
  { input_tokens }: Pick<Admitted, "input_tokens">,
  { catalog }: Pick<Deps, "catalog">,
): string | undefined {
  if (outcome === "answered" && cost === undefined) return undefined;
  const mayBill = outcome === "lost" || (outcome === "fault" && status === undefined && !is_certain);
  if (outcome !== "answered" && !mayBill) return undefined;
  const house = bookHouseRates({ id, ...(cost && { cost }) }, catalog.seller().currency?.code);
  return outcome === "answered" ? house : withAskedTokens(house, input_tokens);
}

/**
 * What is booked of the attempt that answered. `unread`: the input of an answer that broke off before it told a usage.
 */
export function houseOf(last: ToldAttempt | undefined, unread: number | undefined): { house?: string } {
  if (last?.outcome !== "answered" || last.house === undefined) return {};
  return { house: unread === undefined ? last.house : withAskedTokens(last.house, unread) };
}
