/** Budgets of keys: what would have to be gone for one to be overspent, or counted wrongly. */
import type { Row } from "#test/guards/guard.ts";

export const budgets: Row[] = [
  {
    id: "budgets-1",
    test: "shared/calls/access/key-budgets › of 50 calls at once admits the ten that it is worth",
    guard: "...budgetConditions(holds),",
    without: "",
  },
  {
    id: "budgets-2",
    test: "shared/calls/access/key-budgets › lets in what fits to the last digit and refuses the least bit more, taking nothing",
    guard: 'if (!hold.planLimits) return changing([["avail", -hold.points], ...shares]);',
    without: 'if (!hold.planLimits) return changing([["avail", -hold.points]]);',
  },
  {
    id: "budgets-3",
    test: "shared/calls/access/key-budgets › keeps what was charged in place of what was held, and nothing of a call given back",
    guard: "...budgetAmounts(held, settlement.points)",
    without: "",
  },
  {
    id: "budgets-4",
    test: "shared/calls/access/key-budgets › keeps what was charged in place of what was held, and nothing of a call given back",
    guard: "? { calls: 0, listPoints: 0n }",
    without: "? { ...settlement, calls: 0 }",
  },
  {
    id: "budgets-5",
    test: "shared/calls/access/key-budgets › says what is spent, held and needed, and when it resets",
    guard: "if (overBudget) return { ...overBudget, limitStatus",
    without: "if (overBudget && hold.at < 0) return { ...overBudget, limitStatus",
  },
  {
    id: "budgets-6",
    test: "shared/calls/access/key-budgets › says what is spent, held and needed, and when it resets",
    guard: "...(isHeld && { retryAfterSeconds: heldRetryAfter }),",
    without: "retryAfterSeconds: heldRetryAfter,",
  },
  {
    id: "budgets-7",
    test: "shared/calls/access/key-budgets › a strict step is held against the budget in the same write, and refused in its name",
    guard: "...budgetConditions([{ ...hold, points: step }]),",
    without: "",
  },
  {
    id: "budgets-8",
    test: "shared/calls/access/key-budgets › a strict step is held against the budget in the same write, and refused in its name",
    guard: ", ...Object.fromEntries(steps)",
    without: "",
  },
  {
    id: "budgets-9",
    test: "shared/calls/access/key-budgets › leaves the counters of the running and the last period, and the one of all time",
    guard: ", ...budgetLeftovers(item, budgets)",
    without: "",
  },
  {
    id: "budgets-10",
    test: "shared/calls/access/key-budgets › keeps the counter of a day that is long over while a hold may still give back to it",
    guard: "return counters\n    .filter((name) => !awaited.has(name))",
    without: "return counters",
  },
  {
    id: "budgets-11",
    test: "shared/calls/access/key-budgets-ends › the real event corrects the estimate to %s, once",
    guard: "for (const counter of countersKept(estimate)) {",
    without: "for (const counter of countersKept({})) {",
  },
  {
    id: "budgets-12",
    test: "shared/calls/access/key-budgets-ends › the real event corrects the estimate to %s, once",
    guard: "...keepCounters(held),",
    without: "",
  },
  {
    id: "budgets-13",
    test: "shared/calls/access/key-budgets-ends › is charged to the day in which it was ordered, when it ends days later",
    guard: "...(share && { ...keepCounters(task.hold), budget_points: formatPoints(share.points) }),",
    without: "",
  },
  {
    id: "budgets-14",
    test: "shared/calls/access/key-budgets-ends › whose task was never kept gives it back with the repair",
    guard: "{ meter, shard, mode, ...held }",
    without: "{ meter, shard, mode, ...held, budgets: undefined }",
  },
  {
    id: "budgets-15",
    test: "shared/books/meters/budget-parts › are one for a key that has a cap besides",
    guard: "return Object.keys(others).length === 0 ? null : firstShard;",
    without: "return null;",
  },
  {
    id: "budgets-16",
    test: "shared/edges/store/meters/budget-parts › of a small budget is on the first shard, and moves nothing",
    guard: "pickShard(shardsShared(budgets, shards), choice.home, tried)",
    without: "pickShard(shards, choice.home, tried)",
  },
  {
    id: "budgets-17",
    test: "shared/calls/access/key-budgets-ends › holds its price, and is refused when the budget is used up",
    guard: "const isCounted = bounded || budgetOf(own) !== undefined || dayPoints !== undefined;",
    without: "const isCounted = bounded || dayPoints !== undefined;",
  },
  {
    id: "budgets-18",
    test: "shared/calls/access/key-budgets-stream › for a client of %s",
    guard: "detail: message === undefined ? {} : { message }",
    without: "detail: {}",
  },
  {
    id: "budgets-19",
    test: "shared/edges/audit/budgets › what calls in flight hold is taken, and not yet spent",
    guard: "spent: use.spent - points",
    without: "spent: use.spent",
  },
  {
    id: "budgets-20",
    test: "shared/edges/store/meters/budget-parts › gives its parts back, with what its calls hold, and later what these leave",
    guard: "add: { ...points, ...parts, ...moves }",
    without: "add: { ...points, ...moves }",
  },
  {
    id: "budgets-21",
    test: "shared/edges/store/meters/budget-parts › are spent to the last one, whatever shard has them, and then it is refused by its sum",
    guard: "if (isShared(item)) {",
    without: "if (isShared({ ...item, shard: 0, moves: 0 })) {",
  },
  {
    id: "budgets-22",
    test: "shared/edges/store/meters/budget-parts › of two processes at the same moment gives parts once",
    guard: "when.push(roomCondition(shard, { ...budget, points: -points }))",
    without: "when.push()",
  },
  {
    id: "budgets-23",
    test: "shared/edges/store/meters/budget-parts › are there for a call that needs all of them",
    guard: "&& moves === items[shard]?.moves,",
    without: ",",
  },
  {
    id: "budgets-24",
    test: "shared/edges/store/meters/budget-parts › gives more parts than one write names in several passes",
    guard: " && budgets.size === 0;\n    if (shard",
    without: ";\n    if (shard",
  },
];
