/** Which calls may be raced, and what breaks one of their attempts off. */
import { bearsTwice } from "../../books/catalog/plan-includes.ts";
import type { ChannelOrder } from "../routing/order.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import type { RoutedCandidate } from "./route.ts";
import { mostPoints } from "./strict.ts";

/**
 * Whether a late channel of the call may be raced (shared/calls/routing/README.md "The race"): only the streams of a
 * chat, and only with smart routing. A call with one channel has nobody to race it. The plan must bear both channels.
 * Where the organization's own key may serve, nobody is asked twice: it would pay its provider for the loser.
 */
export function isRaceable(
  admitted: Admitted,
  { placed, routing }: ChannelOrder<RoutedCandidate>,
  deps: Deps,
): boolean {
  const { call, protocol, model, principal, request, own } = admitted;
  if (placed.length < 2 || routing !== "smart" || !call.stream || own) return false;
  if (protocol.kind !== "chat" || model.routing?.race === false) return false;
  return bearsTwice(() => mostPoints(admitted), { principal, at: request.received_at }, deps.catalog);
}

/** What breaks an attempt off. */
export interface Breakable {
  signal: AbortSignal;
  abort?: () => void;
}

/** What breaks off one attempt alone, or as one of all attempts of its call. */
export function breakable(signal: AbortSignal): Breakable {
  const own = new AbortController();
  const abort = () => {
    signal.removeEventListener("abort", abort);
    own.abort();
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  return { signal: own.signal, abort };
}
