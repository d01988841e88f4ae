/**
 * A route as its entry keeps it. Most entries fill a write unit but for 20 to 150 bytes, so it is a list of about 30. A
 * call that one channel alone could take, and that was answered at once, has none.
 */
import {
  type CallRoute,
  isRoute,
  type ToldAttempt,
  type UsageEvent,
} from "../../../books/ledger/usage-event.ts";

/**
 * Routing's first letter, why, of how many channels, the attempts. An answered one is its milliseconds alone. One with
 * a status and no model has null for it, which an older release shows as a model without a name.
 */
type KeptRoute = ["b" | "s", why: string, of: number, ...attempts: (number | KeptAttempt)[]];
type KeptAttempt = [
  provider: string,
  outcome: ToldAttempt["outcome"],
  ms: number,
  model?: string | null,
  status?: number | null,
  own_key?: 0 | 1,
  house?: string,
];

/** Versions that knew no route kept an event's as a newer gateway had sent it, while one version replaces another. */
export interface KeptEvent extends Omit<UsageEvent, "route"> {
  route?: KeptRoute | CallRoute;
}

/** What is kept of an event. */
export function keptEvent({ route, call_points, ...told }: UsageEvent): KeptEvent {
  // What one call is good for explains several. An entry of one call does not need it.
  const event = told.calls > 1 && call_points !== undefined ? { ...told, call_points } : told;
  if (!route) return event;
  const attempts = route.attempts.map((attempt): number | KeptAttempt => {
    const { provider, outcome, ms, model, status, own_key, house } = attempt;
    // That the organization's own key has paid stands in the event.
    if (outcome === "answered" && provider === event.provider) return ms;
    if (house !== undefined) return [provider, outcome, ms, model ?? null, status ?? null, 0, house];
    if (own_key) return [provider, outcome, ms, model ?? null, status ?? null, 1];
    if (status !== undefined) return [provider, outcome, ms, model ?? null, status];
    return model === undefined ? [provider, outcome, ms] : [provider, outcome, ms, model];
  });
  if (route.of < 2 && attempts.length === 1 && typeof attempts[0] === "number") return event;
  return { ...event, route: [route.routing === "smart" ? "s" : "b", route.why, route.of, ...attempts] };
}

/** Reads what `keptEvent` gave, or what an older version kept. */
export function toldEvent({ route, ...event }: KeptEvent): UsageEvent {
  if (!Array.isArray(route)) return isRoute(route) ? { ...event, route } : event;
  const [routing, why, of, ...kept] = route;
  const attempts = kept.map((each): ToldAttempt => {
    if (typeof each === "number") {
      const own = event.own_fee !== undefined && { own_key: true as const };
      return { provider: event.provider ?? "", outcome: "answered", ms: each, ...own };
    }
    const [provider, outcome, ms, model, status, own_key, house] = each;
    const facts = { ...(model && { model }), ...(typeof status === "number" && { status }) };
    const paid = { ...(own_key && { own_key: true as const }), ...(house !== undefined && { house }) };
    return { provider, outcome, ms, ...facts, ...paid };
  });
  const told: CallRoute = { routing: routing === "s" ? "smart" : "basic", why, of, attempts };
  return { ...event, route: told };
}
