/** Summaries of closed months: signed, linked, and changed by nobody unseen. */
import { expect, test } from "vitest";
import {
  type ClosedMonth,
  type CloseSummary,
  faultsOfChain,
  signSummary,
} from "#shared/books/close/summary.ts";

const row = {
  ...{ calls: 0, charged: "0", fees: "0", revenue: "0", list: "0", house_cost: "0", estimated_cost: "0" },
  ...{ unknown_cost_calls: 0, margin: null, plan_margin: null },
};
function summaryOf(month: string, previous: CloseSummary["previous"]): CloseSummary {
  return {
    ...{
      object: "month_close",
      month,
      counts_until: "2026-12-05T08:00:00.000Z",
      closed_at: "2026-12-05T08:15:00.000Z",
    },
    ...{
      closed_by: "ann",
      reason: null,
      previous,
      checks: [],
      accounts: [],
      late: [],
      currency: null,
      margin: row,
    },
    ...{ journal: { rows: 0, sha256: "" }, balances: { rows: 0, sha256: "" } },
  };
}

function chain(): ClosedMonth[] {
  const first = signSummary(summaryOf("2026-10", null), "pepper");
  const second = signSummary(
    summaryOf("2026-11", { month: "2026-10", sha256: first.sha256 }),
    "another pepper",
  );
  return [first, second];
}

test("months that follow from each other have no fault, also over a rotation of the pepper", () => {
  expect(faultsOfChain(chain())).toEqual([]);
  expect(faultsOfChain([])).toEqual([]);
});

test.each<[what: string, change: (months: ClosedMonth[]) => void, fault: string]>([
  [
    "a figure",
    ([first]) => change(first, { summary: (first?.summary ?? "").replace("ann", "bob") }),
    "2026-10 is not as it was signed",
  ],
  ["the hash", ([first]) => change(first, { sha256: "0".repeat(64) }), "2026-10 is not as it was signed"],
  ["the signature", ([, second]) => change(second, { signature: "AAAA" }), "2026-11 is not as it was signed"],
  [
    "the key",
    ([first, second]) => change(second, { public_key: first?.public_key ?? "" }),
    "2026-11 is not as it was signed",
  ],
  [
    "a key that is none",
    ([, second]) => change(second, { public_key: "AAAA" }),
    "2026-11 is not as it was signed",
  ],
  ["the month", ([, second]) => change(second, { month: "2026-12" }), "2026-12 is not as it was signed"],
  ["the month before", (months) => months.shift(), "2026-11 does not follow"],
  [
    "another month before",
    (months) =>
      months.splice(0, 1, signSummary({ ...summaryOf("2026-10", null), closed_by: "eve" }, "forged")),
    "2026-11 does not follow",
  ],
])("a change of %s is seen", (_, spoil, fault) => {
  const months = chain();
  spoil(months);
  expect(faultsOfChain(months).join("\n")).toContain(fault);
});

function change(closed: ClosedMonth | undefined, to: Partial<ClosedMonth>): void {
  if (closed) Object.assign(closed, to);
}
