import type { Switch } from "../../books/billing/pricing/rates.ts";
import type { UsageDetails } from "../../books/billing/usage.ts";

/**
 * The ways of serving a call that can cross to another protocol: a service tier, and a speed. The words are those of
 * most protocols, in lower case: `priority` and `flex`, and `fast`. The standard way is `standard` in an answer, and
 * absent in a request.
 */
export type ServedWays = Pick<UsageDetails, "service_tier" | "speed">;

/** The ways among these switches, as a crossing carries them; undefined where all is to be as usual. */
export function waysIn(switches: readonly Switch[]): ServedWays | undefined {
  const told = switches.flatMap(({ kind, name, implied }) => (implied ? [] : [[kind, name]]));
  return told.length === 0 ? undefined : Object.fromEntries(told);
}
