/** How a call after the instant is booked on the restored tables, exactly once (infra/operator/restore.md "Calls"). */

import { limits } from "../../base/limits.ts";
import { isTask, timeOf } from "../../base/platform/id.ts";
import type { KeyRecord, Organization } from "../../books/accounts/account.ts";
import { anchorAt } from "../../books/accounts/subscription.ts";
import { quotaPeriod } from "../../books/billing/period.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { accountCounter, budgetOf, budgetUnusedFrom, ownName } from "../../books/meters/budget.ts";
import { limitedName } from "../../books/meters/hold.ts";
import { boundsOf } from "../../books/meters/levels.ts";

/** What the restored counters know of a call. */
interface Known {
  shard: number | undefined;
  held: boolean;
  intended: boolean;
}

export interface RebookDeps {
  ledger: Pick<Ledger, "entriesOf" | "record">;
  restoring: {
    known(event: UsageEvent): Promise<Known>;
    bookCharged(
      event: UsageEvent,
      on: { shard: number; period?: string; budgets: string[] },
    ): Promise<boolean>;
  };
  now: () => number;
}

/**
 * What becomes of a call.
 *
 * - `known`: it is booked. If the sweep had estimated it, the estimate is corrected.
 * - `entered`: only its entry was missing. Its meter was charged before the instant, or the sweep charges it.
 * - `booked`: it was booked and charged.
 * - `task`: the task is under way in the restored tables. The repair of tasks ends it.
 * - `no_meter`: its organization did not exist at the instant.
 */
export type Rebooked = "known" | "entered" | "booked" | "task" | "no_meter";

/** A call seldom takes longer from its arrival, which its id tells, to its hold. */
const admissionMs = 60_000;

/**
 * What is missing of a call on tables restored to `instant`. Its meter held for it then, was charged, or knew nothing.
 * An intent tells the last two apart; where intents have expired by `now`, the arrival does. A task is charged and
 * booked by one write. Instants are Unix milliseconds.
 */
export function wayOf(
  { id }: Pick<UsageEvent, "id">,
  { shard, held, intended }: Known,
  { instant, now }: { instant: number; now: number },
): Exclude<Rebooked, "known"> {
  if (shard === undefined) return "no_meter";
  if (isTask(id)) return held ? "task" : "booked";
  if (held || intended) return "entered";
  const hasIntents = now - timeOf(id) < limits.intentLifetimeSeconds * 1000;
  return hasIntents || timeOf(id) > instant - admissionMs ? "booked" : "entered";
}

/** Books a call of `organization`, with the key that made it where that exists, and gives what became of it. */
export async function rebook(
  event: UsageEvent,
  { instant, organization, key }: RebookingRequest,
  deps: RebookDeps,
): Promise<Rebooked> {
  const entries = await deps.ledger.entriesOf(event.organization, event.id);
  const known = await deps.restoring.known(event);
  const way = entries.length > 0 ? "known" : wayOf(event, known, { instant, now: deps.now() });
  if (way === "known" || way === "entered") await deps.ledger.record([event]);
  if (way !== "booked" || known.shard === undefined) return way;
  const counters = countersOf(event, organization, key, deps.now());
  const isNew = await deps.restoring.bookCharged(event, { shard: known.shard, ...counters });
  return isNew ? "booked" : "known";
}

interface RebookingRequest {
  instant: number;
  organization: Organization | undefined;
  key: KeyRecord | undefined;
}

/** The quota month and the budgets that a call counts on. Those whose day or month nobody asks for any more are left out. */
function countersOf(
  { id, meter, mode, admitted_at, user }: UsageEvent,
  organization: Organization | undefined,
  key: KeyRecord | undefined,
  now: number,
): { period?: string; budgets: string[] } {
  const subscription = organization?.subscription;
  const isOwn = mode === "subscription" && subscription?.meter === meter;
  const period = isOwn ? quotaPeriod(anchorAt(subscription, admitted_at), admitted_at).id : undefined;
  const own = budgetOf(key?.limits);
  const bounds = key && organization ? boundsOf(organization, { key, user }) : [];
  const of = [...(key && own ? [{ account: limitedName(key.id), ...own }] : []), ...bounds];
  const counters = of.map(({ account, period: span }) => accountCounter(account, span, timeOf(id)));
  return {
    ...(period !== undefined && { period }),
    budgets: counters.filter((counter) => budgetUnusedFrom(ownName(counter)) > now),
  };
}
