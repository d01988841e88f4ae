/** Refused calls as lists and receipts show them (shared/books/reports/README.md "Refused calls"). */

import { timeOf } from "../../base/platform/id.ts";
import { noUsage } from "../../books/billing/usage.ts";
import type { ListedEvent } from "../../books/reports/listed-call.ts";
import type { RefusedCall, RefusedCalls } from "../../calls/access/refused-calls.ts";

export interface RefusedDeps {
  /** Loaded with the first question for a refused call. */
  refusedCalls(): Promise<Pick<RefusedCalls, "find" | "newest">>;
}

/** The refused call of an organization; undefined where none is kept, and where what keeps them does not answer. */
export async function findRefused(
  organization: string,
  request: string,
  deps: RefusedDeps,
): Promise<ListedEvent | undefined> {
  const call = await deps
    .refusedCalls()
    .then((calls) => calls.find(organization, request))
    .catch(() => undefined);
  return call && eventOf(call);
}

/** Those of an organization whose requests came in [from, to), Unix milliseconds, the newest first. */
export async function* newestRefused(
  organization: string,
  [from, to]: [from: number, to: number],
  deps: RefusedDeps,
): AsyncGenerator<{ kind: "refused"; event: ListedEvent }> {
  const calls = await deps.refusedCalls();
  for await (const call of calls.newest(organization, from, to)) {
    yield { kind: "refused", event: eventOf(call) };
  }
}

function eventOf({ request, project, key, model, path, error, message }: RefusedCall): ListedEvent {
  return {
    id: request,
    admitted_at: timeOf(request),
    ended_at: null,
    kind: null,
    model,
    project,
    key,
    user: null,
    mode: null,
    outcome: "refused",
    error,
    message,
    path,
    provider: null,
    attempts: 0,
    flags: [],
    usage: noUsage,
    evidence: "none",
    calls: 0,
    list_points: "0",
    cost_points: "0",
    price: null,
  };
}
