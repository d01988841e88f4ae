/** What a plan includes, and what its calls may cost the house: what would have to be gone for a call to cost more. */
import type { Row } from "#test/guards/guard.ts";

export const plans: Row[] = [
  {
    id: "plans-1",
    test: "shared/calls/access/plan-includes › %s, on %s: %j is 403 and names the plans that do",
    guard: "checkPlanSwitches(asked, { principal, at: request.received_at }, deps.catalog);",
    without: "",
  },
  {
    id: "plans-2",
    test: "shared/calls/access/plan-includes › %s is 403, and says how many",
    guard: "callsOf(each.name, all) <= (numberOf(plan, each) ?? -1)",
    without: "numberOf(plan, each) !== undefined",
  },
  {
    id: "plans-3",
    test: "shared/calls/access/plan-includes › %s is 403, and says how many",
    guard: "sum + (bound_by ? 1 : calls)",
    without: "Math.max(sum, calls)",
  },
  {
    id: "plans-4",
    test: "shared/calls/access/plan-includes › is never %s",
    guard: "const asked = switches.filter(({ implied }) => !implied);",
    without: "const asked = switches;",
  },
  {
    id: "plans-5",
    test: "shared/calls/access/plan-includes › of a larger %s than its plan includes is 403",
    guard: "checkPlanVideo(video, { principal: caller, at }, deps.catalog);",
    without: "",
  },
  {
    id: "plans-6",
    test: "shared/calls/access/plan-includes › that may cost more than its plan bears is 403",
    guard: "if (bound !== undefined) throw costRefusal({ points: most(), bound }, buyer, deps.catalog);",
    without: "",
  },
  {
    id: "plans-7",
    test: "shared/calls/access/plan-includes › is one that one of its fallbacks makes so",
    guard: "largest(quotes.map(mostPoints))",
    without: "mostPoints(quote)",
  },
  {
    id: "plans-8",
    test: "shared/calls/access/plan-points › of 50 calls at once admit the ten that they are worth",
    guard: "[month, absentOrAtMost(dayPointsCounter(timeOf(request)), dayPoints - listPoints)]",
    without: "[month]",
  },
  {
    id: "plans-9",
    test: "shared/calls/access/plan-points › keep what a call came to in place of what it held, and nothing of one given back",
    guard:
      "if (held.dayPoints !== undefined) amounts[dayPointsCounter(admittedAt)] = listPoints - held.dayPoints;",
    without: "",
  },
  {
    id: "plans-10",
    test: "shared/calls/access/plan-points › begin anew at midnight UTC, and a call of before counts in its own day",
    guard: "amounts[dayPointsCounter(admittedAt)] = listPoints - held.dayPoints",
    without: "amounts[dayPointsCounter(settlement.at)] = listPoints - held.dayPoints",
  },
  {
    id: "plans-11",
    test: "shared/calls/access/plan-points › go with the counters of a day that is over",
    guard: 'letter === "d" || letter === "l" ?',
    without: 'letter === "d" ?',
  },
  {
    id: "plans-12",
    test: "shared/calls/access/plan-points › takes as many calls of the month, and what it was not worth goes back",
    guard: "amounts[names.period(held.period)] = BigInt(calls - (held.calls ?? 1));",
    without: "amounts[names.period(held.period)] = BigInt(calls - 1);",
  },
  {
    id: "plans-13",
    test: "shared/calls/access/plan-points › is refused where the month has fewer left, and the message says so",
    guard: "BigInt(quota - calls)",
    without: "BigInt(quota - 1)",
  },
  {
    id: "plans-14",
    test: "shared/calls/access/plan-points › its input is counted, and the real event corrects that, once",
    guard: "if (estimate.day !== undefined) {",
    without: "if (estimate.id === undefined && estimate.day !== undefined) {",
  },
  {
    id: "plans-15",
    test: "shared/calls/gateway/race-none › where a plan bears %s points a call, and the dearest answer is 0.08: %s",
    guard: "return call === undefined || 2n * most() <= parsePoints(call);",
    without: "return call === undefined || most() <= parsePoints(call);",
  },
  {
    id: "plans-16",
    test: "shared/calls/access/plan-laws › costs no more than the plan bears, at any price, with any switches and any usage",
    guard: "Number((points + callPoints - 1n) / callPoints)",
    without: "Number(points / callPoints)",
  },
  {
    id: "plans-17",
    test: "shared/calls/access/plan-request-laws › is held for no more than its plan bears, with fallbacks and across protocols, or nobody is asked",
    guard: "throw costRefusal({ points: most(), bound, smaller }, caller, deps.catalog);",
    without: "",
  },
  {
    id: "plans-18",
    test: "shared/calls/access/plan-request-laws › costs no more than was held for it, however often its provider runs its tools",
    guard: "if (numbers.size === 0) return decoded;",
    without: "if (numbers.size >= 0) return decoded;",
  },
  {
    id: "plans-19",
    test: "shared/calls/access/plan-tool-numbers › and cannot say it is refused by a plan that refuses dear calls, unless all cost as much as one",
    guard: "!boundless || list_points_max?.call === undefined",
    without: "boundless !== null || list_points_max?.call === undefined",
  },
];
