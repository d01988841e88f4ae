/** Budgets of keys: what would have to be gone for one to be overspent, or counted wrongly. */
import type { Row } from "#test/guards/guard.ts";

export const budgets: Row[] = [
  {
    id: "budgets-1",
    test: "shared/access/key-budgets › of 50 calls at once admits the ten that it is worth",
    guard: "shared/store/meters/admission-writes.ts: ...budgetCondition(hold),",
    without: "",
  },
  {
    id: "budgets-2",
    test: "shared/access/key-budgets › lets in what fits to the last digit and refuses the least bit more, taking nothing",
    guard: "shared/store/meters/amounts.ts: budget ? [[budget.counter, budget.points]] : [];",
    without: "[];",
  },
  {
    id: "budgets-3",
    test: "shared/access/key-budgets › keeps what was charged in place of what was held, and nothing of a call given back",
    guard: "shared/store/meters/amounts.ts: ...budgetAmounts(held, settlement.points)",
    without: "",
  },
  {
    id: "budgets-4",
    test: "shared/access/key-budgets › keeps what was charged in place of what was held, and nothing of a call given back",
    guard: "shared/store/meters/amounts.ts: settlement.giveBack ? 0n : settlement.listPoints",
    without: "settlement.listPoints",
  },
  {
    id: "budgets-5",
    test: "shared/access/key-budgets › says what is spent, held and needed, and when it resets",
    guard: "shared/store/meters/admission-writes.ts: if (overBudget) return { ...overBudget, limitStatus",
    without: "if (overBudget && hold.at < 0) return { ...overBudget, limitStatus",
  },
  {
    id: "budgets-6",
    test: "shared/access/key-budgets › says what is spent, held and needed, and when it resets",
    guard: "shared/store/meters/budget.ts: ...(isHeld && { retryAfterSeconds: heldRetryAfter }),",
    without: "retryAfterSeconds: heldRetryAfter,",
  },
  {
    id: "budgets-7",
    test: "shared/access/key-budgets › a strict step is held against the budget in the same write, and refused in its name",
    guard: "shared/store/meters/admission-writes.ts: ...budgetCondition({ ...hold, points: step }),",
    without: "",
  },
  {
    id: "budgets-8",
    test: "shared/access/key-budgets › a strict step is held against the budget in the same write, and refused in its name",
    guard: "shared/store/meters/admission-writes.ts: ...(budget && { [budget.counter]: step })",
    without: "",
  },
  {
    id: "budgets-9",
    test: "shared/access/key-budgets › leaves the counters of the running and the last period, and the one of all time",
    guard: "shared/store/meters/meter-item.ts: ...budgetLeftovers(item),",
    without: "",
  },
  {
    id: "budgets-10",
    test: "shared/access/key-budgets › keeps the counter of a day that is long over while a hold may still give back to it",
    guard: "shared/store/meters/meter-item.ts: return counters\n    .filter((name) => !awaited.has(name))",
    without: "return counters",
  },
  {
    id: "budgets-11",
    test: "shared/access/key-budgets-ends › the real event corrects the estimate to %s, once",
    guard: "shared/store/ledger/recording.ts: if (estimate.budget !== undefined) {",
    without: "if (estimate.id === undefined && estimate.budget !== undefined) {",
  },
  {
    id: "budgets-12",
    test: "shared/access/key-budgets-ends › the real event corrects the estimate to %s, once",
    guard: "shared/operations/jobs/sweep.ts: ...(held.budget && { budget: held.budget.counter }),",
    without: "",
  },
  {
    id: "budgets-13",
    test: "shared/access/key-budgets-ends › is charged to the day in which it was ordered, when it ends days later",
    guard:
      "shared/store/tasks.ts: ...(budget && { budget: budget.counter, budget_points: formatPoints(budget.points) }),",
    without: "",
  },
  {
    id: "budgets-14",
    test: "shared/access/key-budgets-ends › whose task was never kept gives it back with the repair",
    guard: "shared/tasks/repair.ts: { meter, shard, mode, ...held }",
    without: "{ meter, shard, mode, ...held, budget: undefined }",
  },
  {
    id: "budgets-15",
    test: "shared/access/key-budgets-ends › the count is one, however the shards change meanwhile, and the money comes to it",
    guard: "shared/meters/shards.ts: if (budgetOf(own)) return firstShard;",
    without: "",
  },
  {
    id: "budgets-16",
    test: "shared/access/key-budgets-ends › its calls are no reason for more shards, which would carry none of them",
    guard: "shared/operations/jobs/shards.ts: const together = budgeted.length + ",
    without: "const together = ",
  },
  {
    id: "budgets-17",
    test: "shared/access/key-budgets-ends › holds its price, and is refused when the budget is used up",
    guard: "shared/access/hold.ts: ...(budgetOf(own) && { listPoints: most() })",
    without: "",
  },
  {
    id: "budgets-18",
    test: "shared/access/key-budgets-stream › for a client of %s",
    guard: "shared/gateway/strict.ts: detail: message === undefined ? {} : { message }",
    without: "detail: {}",
  },
  {
    id: "budgets-19",
    test: "shared/operations/audit/budgets › what calls in flight hold is taken, and not yet spent",
    guard: "shared/operations/audit/budgets.ts: spent: taken - held",
    without: "spent: taken",
  },
];
