/** Hours of the ledger that are spread over parts (shared/edges/store/README.md "Spread hours"): what a call's records say. */
import { idDigits } from "../../base/platform/id.ts";

/** The parts of such an hour: what an id may end in. */
export const hourParts: readonly string[] = [...idDigits];

/** The part that a request belongs to. An id ends by chance, so all parts get as many. */
export const hourPart = (request: string) => request.slice(-1);

/** The versions of usage events. 2: the hour is spread, and a settle that does not know of that must not book the event. */
export type EventVersion = 1 | 2;

/** The version of a call's event. */
export function eventVersion({ spread }: { spread?: true }): EventVersion {
  return spread ? 2 : 1;
}

/** Whether this release knows the version of an event. */
export function isKnownVersion(version: unknown): version is EventVersion {
  return version === 1 || version === 2;
}

/** Whether the hour of an event is spread. */
export function isSpread({ version }: { version: EventVersion }): boolean {
  return version === 2;
}
