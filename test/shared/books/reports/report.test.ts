/** The form of a usage report (contract §2.4). */
import { expect, test } from "vitest";
import { noSums, renderReport } from "#shared/books/reports/report.ts";

test("models are in order of cost, the dearest first, then of name, whatever order they were read in", () => {
  const costs: [model: string, cost: bigint][] = [
    ["b/free", 0n],
    ["z/dear", 10n ** 19n],
    ["a/free", 0n],
    ["a/cheap", 9n],
    ["c/free", 0n],
    ["y/dear", 10n ** 19n],
  ];
  const order = ["y/dear", "z/dear", "a/cheap", "a/free", "b/free", "c/free"];
  for (const read of [costs, costs.toReversed()]) {
    const sums = new Map(read.map(([model, cost_points]) => [model, { ...noSums(), calls: 1, cost_points }]));
    const report = renderReport({ from: "", to: "" }, "", sums, {});
    expect(report.by_model.map(({ model }) => model)).toEqual(order);
    expect(report.totals).toMatchObject({ calls: 6, cost_points: "20.000000000000000009" });
  }
});
