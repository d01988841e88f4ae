/** Which plan fees a forecast keeps: those that depend on what another plan cost, or that were paid back. */
import { expect, test } from "vitest";
import type { PlanFee } from "#shared/books/ledger/ledger.ts";
import { feeId } from "#shared/books/ledger/plan-fee.ts";
import { changedFees } from "#shared/books/reports/forecast/fees.ts";

const day = (text: string) => Date.parse(`${text}Z`);

/** The fee of a time, and when it was posted. By default that is where its time begins. */
const feeOf = (from: string, to: string, change: Partial<PlanFee> = {}, posted = from) => ({
  fee: {
    ...{ meter: "mtr_1", plan: "pro", period: "monthly" as const, price_points: "9" },
    ...{ starts_at: day(from), ends_at: day(to), ...change },
  },
  posted_at: day(posted),
});
const november = feeOf("2026-11-01", "2026-12-01");
const december = feeOf("2026-12-01", "2027-01-01", {}, "2026-11-05");
const backOf = ({ fee }: typeof november, from: string) =>
  feeOf(from, "2027-01-01", { price_points: "0", unused_points: "4", returns: feeId(fee) });
const upgrade = feeOf("2026-11-10", "2026-12-01", { unused_points: "5" });
const lowered = { price_points: "0", unused_points: "3" };
const ids = (...fees: (typeof november)[]) => new Set(fees.map(({ fee }) => feeId(fee)));

test.each<[what: string, fees: (typeof november)[], changed: (typeof november)[]]>([
  ["none where nothing was changed", [november, december], []],
  [
    "a fee that was paid back, with what gives it back, and none that runs beside it",
    [november, december, backOf(december, "2026-11-20")],
    [december, backOf(december, "2026-11-20")],
  ],
  [
    "an upgrade, and what it took the place of, and not the time before and after it",
    [feeOf("2026-10-01", "2026-11-01"), november, december, upgrade],
    [november, upgrade],
  ],
  [
    "time that was paid ahead, where an upgrade reaches over it",
    [november, december, { ...upgrade, fee: { ...upgrade.fee, ends_at: december.fee.ends_at } }],
    [november, december, upgrade],
  ],
  [
    "of an upgrade that was paid back, all three",
    [november, upgrade, backOf(upgrade, "2026-11-20")],
    [november, upgrade, backOf(upgrade, "2026-11-20")],
  ],
  [
    "a smaller plan of no price that pays back a rest, and no free plan before it",
    [feeOf("2026-11-01", "2026-12-01", { price_points: "0" }), feeOf("2026-11-10", "2026-12-01", lowered)],
    [feeOf("2026-11-10", "2026-12-01", lowered)],
  ],
  [
    "not what was bought after the upgrade for its time",
    [upgrade, feeOf("2026-11-15", "2026-12-01")],
    [upgrade],
  ],
  [
    "not the time of another subscription",
    [feeOf("2026-11-01", "2026-12-01", { meter: "mtr_2" }), upgrade],
    [upgrade],
  ],
])("%s", (_, fees, changed) => {
  expect(changedFees([{ posted_at: 0 }, ...fees])).toEqual(ids(...changed));
});
