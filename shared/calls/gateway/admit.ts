/**
 * Admits a call in the order of its steps. The first finds the meter that counts it. The next say what it may use and
 * what that costs at most. The last holds so much by one conditional write on the meter, with the intent beside it. Both
 * writes are acknowledged before a byte goes upstream (design §3).
 */

import { brokenCostBound, costRefusal } from "../../books/catalog/plan-includes.ts";
import type { LimitStatus } from "../../books/meters/admission.ts";
import type { Ticket } from "../../books/meters/hold.ts";
import { boundsOf } from "../../books/meters/levels.ts";
import { holdFor, pointsHeld } from "../access/hold.ts";
import { mediaMostOf, meterOf } from "../access/meter.ts";
import type { Recorder } from "../access/recorder.ts";
import { holdOrRefuse, take } from "../access/take.ts";
import type { Deps } from "./deps.ts";
import { intentOf, publishUnsent } from "./intent.ts";
import type { Prepared } from "./prepare.ts";
import { type Quote, quoteOf } from "./quote.ts";
import { mostPoints } from "./strict.ts";

/** A call that has its hold, with the ticket of it. */
export interface Admitted extends Prepared, Quote {
  ticket: Ticket;
  limitStatus: LimitStatus;
  /** The idempotency key that the call must have (`admit`). */
  scope?: string | undefined;
  /** Keeps the answer of a call with an idempotency key. */
  recorder?: Recorder | undefined;
  /** The full id of the model that the client asked for, where this call asks another one in its place. */
  requested_model?: string;
  /** Of such a call: how many attempts the models before it have had. */
  attempted?: number | undefined;
}

/**
 * Admits a call, or throws why not: `insufficient_balance`, `subscription_lapsed`, `rate_limited`, `quota_exhausted`,
 * `account_frozen`, `invalid_key`, `global_rate_limited`, and `permission_denied` where it may cost more than its plan
 * bears. A refused call consumes nothing. Where the call names fallbacks, it is held for the dearest of its models.
 * `scope` names the idempotency key that the call must get before it is sent; undefined where it has none.
 */
export async function admit(prepared: Prepared, scope: string | undefined, deps: Deps): Promise<Admitted> {
  const {
    principal,
    request,
    protocol,
    fallbacks = [],
    call: { user },
  } = prepared;
  const caller = { principal, at: request.received_at };
  const meter = meterOf(principal, caller.at, deps);
  const { planLimits } = meter;
  const mediaMost = planLimits && mediaMostOf(planLimits, principal.key);

  const quote = quoteOf(prepared, mediaMost, deps);
  const quotes = [quote, ...fallbacks.map((each) => quoteOf(each, mediaMost, deps))];
  const most = once(() => largest(quotes.map(mostPoints)));
  const whatFits = async (free: bigint) => {
    const { smallerCall } = await import("./smaller-call.ts");
    return smallerCall(prepared, free, deps);
  };
  const bound = brokenCostBound(most, caller, deps.catalog);
  if (bound !== undefined) {
    const smaller = await whatFits(bound);
    throw costRefusal({ points: most(), bound, smaller }, caller, deps.catalog);
  }

  const wanted = holdFor(principal, meter, {
    request: request.id,
    at: caller.at,
    ...pointsHeld(
      principal.key,
      planLimits,
      most,
      boundsOf(principal.organization, { key: principal.key, user }),
    ),
    tokens: Math.max(...quotes.map(({ tokens_reserved }) => tokens_reserved)),
  });
  const intent = intentOf(wanted, prepared, { ...quote, scope });
  const unsent = (error: unknown) => publishUnsent(intent, error, deps);
  const asked = {
    dialect: protocol.name,
    take: () =>
      take(wanted, intent, { choice: meter, publishUnsent: unsent, reading: request.reading }, deps),
    whatFits,
  };
  const { ticket, limitStatus } = await holdOrRefuse(wanted, asked, deps);
  return { ...prepared, ...quote, ticket, limitStatus, scope };
}

/** The function, computed once. */
function once(compute: () => bigint): () => bigint {
  let known: bigint | undefined;
  return () => {
    known ??= compute();
    return known;
  };
}

function largest(points: bigint[]): bigint {
  return points.reduce((most, each) => (most < each ? each : most));
}
