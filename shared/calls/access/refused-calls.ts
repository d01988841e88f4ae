/**
 * Calls that were refused before they were held. They are kept for a week (shared/books/reports/README.md "Refused
 * calls").
 */
import type { ErrorKey } from "../../base/errors.ts";
import { refusedBounds } from "./bounds.ts";

export interface RefusedCall {
  request: string;
  organization: string;
  /** The key's project, "" for a key of the organization. */
  project: string;
  key: string;
  /** The full id of the model; null where the request named none that there is. */
  model: string | null;
  /** The route's path, as the table of routes has it. */
  path: string;
  error: ErrorKey;
  /** What the client was told, where that is not the sentence of the table. It may be cut off. */
  message?: string;
}

/** A call is found at the instant of its request, which stands in its id. */
export interface RefusedCalls {
  /** Keeps a call. False where as many of its ten seconds are kept as may be (`refusedBounds`). */
  add(call: RefusedCall): Promise<boolean>;
  /** The refused call of an organization; undefined where none is kept. */
  find(organization: string, request: string): Promise<RefusedCall | undefined>;
  /** Those whose requests came in [from, to), Unix milliseconds, the newest first. */
  newest(organization: string, from: number, to: number): AsyncIterable<RefusedCall>;
}

/** The start of the ten seconds that an instant belongs to, Unix milliseconds. */
export function refusedSlot(at: number): number {
  return at - (at % refusedBounds.slotMs);
}
