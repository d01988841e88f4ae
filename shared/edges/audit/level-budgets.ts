/** The audit of the budgets of organizations, projects and members: none has counted more than its calls came to. */

import { timeOf } from "../../base/platform/id.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { budgetCost, budgetCounters, ownName } from "../../books/meters/budget.ts";
import { isOfLevel } from "../../books/meters/levels.ts";
import { budgetUses, type Meter } from "../../books/meters/meter.ts";
import { type InFlight, totals } from "./in-flight.ts";
import type { Finding } from "./rollups.ts";
import { levelAccounts, type UseAccounts, type Uses } from "./uses.ts";

interface Books {
  meters: Pick<Meter, "meter" | "holds" | "seized" | "tasks" | "budgets">[];
  uses: Pick<Uses, "spent">;
  accounts: UseAccounts;
  inFlight: InFlight;
}

/**
 * Running counters of levels have spent no more than their calls were charged. Less is no gap, as a budget counts from
 * when it is given. Sums of hours do not know end customers, so their counters are not compared.
 */
export function levelsMatchLedger({ meters, uses, accounts, inFlight }: Books): Finding {
  const items = Map.groupBy(meters, ({ meter }) => meter);
  const counters = [...items].flatMap(([meter, own]) =>
    [...budgetUses(own)].flatMap(([counter, { spent }]) =>
      isOfLevel(counter) && accounts.running.has(ownName(counter))
        ? [{ name: `${meter} ${counter}`, spent }]
        : [],
    ),
  );
  const sharesOf = (event: UsageEvent, sign: bigint): [string, bigint][] =>
    levelAccounts({ ...event, owner: event.project }, accounts).flatMap((account) =>
      budgetCounters(timeOf(event.id)).map((counter): [string, bigint] => [
        `${event.meter} ${account}:${counter}`,
        sign * budgetCost(event.mode, event),
      ]),
    );
  const came = totals([
    ...uses.spent,
    ...inFlight.coming.flatMap((event) => sharesOf(event, 1n)),
    ...inFlight.ahead.flatMap((event) => sharesOf(event, -1n)),
  ]);
  const over = counters.flatMap(({ name, spent }) => {
    const more = spent - (came.get(name) ?? 0n);
    return more > 0n ? [`${name} has ${formatPoints(more)} points more than its calls came to`] : [];
  });
  // Of a letter without an amount nobody knows what it came to.
  const isCertain = inFlight.unseen === 0 && inFlight.unknown.length === 0;
  const detail = `${counters.length} of levels: spent ≤ charged to their calls`;
  return isCertain ? { gaps: over, detail } : { gaps: [], open: over, detail };
}
