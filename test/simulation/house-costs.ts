/** Whether the entry of a call says what its provider will bill the house. */
import { parseRate } from "#shared/books/billing/points.ts";
import { attemptCosts } from "#shared/books/ledger/house-cost.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Call } from "./calls.ts";
import { houseCosts } from "./catalog.ts";
import { reports } from "./provider.ts";

/**
 * What is wrong with the house's costs in the entry of a call. No provider bills more requests than it was sent, and each
 * cost is known. `isWhole`: the gateway has read all of the answer, so the provider's counts are what it is billed.
 */
export function houseGaps(call: Call, event: UsageEvent, isWhole: boolean): string[] {
  if (event.source !== "gateway" || event.kind !== "chat" || event.evidence === "cache") return [];
  const costs = attemptCosts(event);
  const unknown = costs.filter((cost) => "unknown" in cost);
  const many =
    costs.length > call.asked ? [`${call.id} books ${costs.length} of ${call.asked} requests`] : [];
  const due = isWhole && reports(call.script) && event.own_fee === undefined ? dueTo(call) : undefined;
  const billed = costs.flatMap((cost) =>
    "amount" in cost && cost.basis === "reported" ? [cost.amount] : [],
  );
  const differs = due !== undefined && (billed.length !== 1 || !due.some((each) => each === billed[0]));
  return [
    ...many,
    ...unknown.map((cost) => `${call.id} has an unknown cost: ${JSON.stringify(cost)}`),
    ...(differs ? [`${call.id} costs the house ${billed.join()}, not ${due.join(" or ")}`] : []),
  ];
}

/** What each channel bills that has reported a usage, in 10⁻¹² of the operator's currency. Of a race there may be two. */
function dueTo({ script, reportedBy }: Call): bigint[] {
  return reportedBy.map((model) => {
    const { input = "0", output = "0" } = houseCosts[model] ?? {};
    return BigInt(script.input) * parseRate(input) + BigInt(script.output) * parseRate(output);
  });
}
