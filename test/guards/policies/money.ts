/** Credits, plan fees and the export: what keeps each of them right. */
import type { Row } from "#test/guards/guard.ts";

const rules =
  "shared/books/reports/focus › has in every column what the specification asks, and keeps every rule";
const sums =
  "shared/books/reports/focus › adds up to the report, to the wallet and to what was paid, in points and in money";

export const money: Row[] = [
  {
    id: "money-1",
    test: "shared/books/ledger/credit › of another amount, sign or kind than its reference has booked is refused, and books nothing",
    guard: "kind === creditKindOf(wanted) && points",
    without: "points",
  },
  {
    id: "money-2",
    test: "shared/books/ledger/credit › never takes what a call was quicker to hold",
    guard: 'points < 0n ? [atLeast("avail", -points)] : []',
    without: "points < 0n ? [] : []",
  },
  {
    id: "money-3",
    test: "shared/books/ledger/credit › that is repeated when nothing is left is known by its reference",
    guard: "if (known) return sameAs(entry, readEntry(known));",
    without: "",
  },
  {
    id: "money-4",
    test: "shared/books/ledger/credit › takes what is free on all shards together, and nothing that calls hold",
    guard: "{ shard: found.shard, further }",
    without: "{ shard: found.shard + 1, further }",
  },
  {
    id: "money-5",
    test: "faults/simulation › seeds leave every book whole",
    in: "credits.ts",
    guard: "add: { granted: points, avail: points, [names.credits]: hash }",
    without: "add: { avail: points, [names.credits]: hash }",
  },
  {
    id: "money-6",
    test: "shared/books/ledger/plan-fee › is posted once for each period that has begun, whoever comes how often, and made up for",
    guard: 'return { write: put(table, item, [absent("pk")]), hash };',
    without: "return { write: put(table, item, []), hash };",
  },
  {
    id: "money-7",
    test: "shared/books/ledger/plan-fee › that dies after any write is made up for by the next pass",
    guard: "const { organization: paid } = await postFeesOf(organization, clock, deps);",
    without: "const paid = organization;",
  },
  {
    id: "money-8",
    test: "shared/books/ledger/plan-fee › from %j on %s to %j",
    guard: "+ 1), ...unused(now) }",
    without: "+ 1) }",
  },
  {
    id: "money-9",
    test: "shared/books/ledger/plan-fee › is not posted for time after the end; a renewal pays from its own instant",
    guard: " && start < (ends_at ?? Infinity)",
    without: "",
  },
  {
    id: "money-10",
    test: "shared/books/ledger/plan-fee › of a plan without a price is nothing, and stays so when the plan gets one",
    guard: "if (await deps.ledger.postFee(",
    without: 'if (price_points !== "0" && await deps.ledger.postFee(',
  },
  {
    id: "money-11",
    test: "shared/books/ledger/paid-periods › the audit finds a fee that is missing, wrong or posted twice",
    guard: "...paidTwice(liveFees(told)),",
    without: "",
  },
  {
    id: "money-12",
    test: rules,
    guard: 'BilledCost: "0",\n    EffectiveCost: money(cost_points),',
    without: "BilledCost: money(cost_points),\n    EffectiveCost: money(cost_points),",
  },
  {
    id: "money-13",
    test: rules,
    in: "export-columns.ts",
    guard: ".toISOString().slice(0, 19)",
    without: ".toISOString().slice(0, 23)",
  },
  {
    id: "money-14",
    test: sums,
    guard: `difference === 0n
      ? lines
      : [...lines, inPoints(difference, event.own_fee ? "own_key_fee" : "difference")]`,
    without: "lines",
  },
  {
    id: "money-15",
    test: "shared/books/catalog/catalog › refuses a rate at which an amount of points would be no decimal",
    guard: "!decimalForm.test(points) || isExactRate(points)",
    without: "true",
  },
  {
    id: "money-16",
    test: "shared/books/ledger/credit › is no more than the balance where one shard owes what another has",
    guard: "isEnough(items) ? transfersFor({ points, budgets }, items, at) : undefined",
    without: "transfersFor({ points, budgets }, items, at)",
  },
  {
    id: "money-17",
    test: "shared/books/ledger/plan-fee › at the very instant in which a period begins pays for the new plan",
    guard: "Math.max(paid?.from ?? 0, fee?.starts_at ?? 0)",
    without: "paid?.from ?? 0",
  },
  {
    id: "money-18",
    test: "shared/books/ledger/plan-fee › to %s by a clock that is behind the one that posted the next fee pays for each plan",
    guard: "await notBeforeFees(organization.id, subscription, clock, deps)",
    without: "clock",
  },
  {
    id: "money-19",
    test: "shared/edges/store/usage-queue-batches › characters that SQS refuses are escaped, and the event reads the same",
    guard: "[\\uFFFE\\uFFFF]",
    without: "[\\uFFFE]",
  },
];
