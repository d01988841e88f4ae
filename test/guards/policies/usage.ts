/** Who sees whose usage in the console, and what its answers may read. */
import type { Row } from "#test/guards/guard.ts";

const folder = "shared/edges/console/operations";

export const usage: Row[] = [
  {
    id: "usage-1",
    test: `${folder}/usage-calls › shows a member the calls of the keys they made, whatever they ask for`,
    guard: "return own === null || (key !== null && own.has(key)) || projects.has(project);",
    without: "return true;",
  },
  {
    id: "usage-2",
    test: `${folder}/usage-series › every point is the sum of its entries, whoever asks, and the CSV says the same`,
    guard: "isSourceInScope(scope, source) &&",
    without: "",
  },
  {
    id: "usage-3",
    test: `${folder}/usage-calls › of a settled call is told to whoever sees the call, and to nobody else`,
    guard: "call.request === id && isSeen(call)",
    without: "call.request === id",
  },
  {
    id: "usage-4",
    test: `${folder}/usage-calls › of a settled call is told to whoever sees the call, and to nobody else`,
    guard: "call.request === id && isSeen(call)",
    without: "isSeen(call)",
  },
  {
    id: "usage-5",
    test: `${folder}/usage-calls › %s narrows it`,
    guard: '(project !== "" || event.project === "")',
    without: "true",
  },
  {
    id: "usage-6",
    test: `${folder}/usage-series › every point is the sum of its entries, whoever asks, and the CSV says the same`,
    guard: '(query.project !== "" || source.owner === "")',
    without: "true",
  },
  {
    id: "usage-7",
    test: `${folder}/usage-series › is a file to keep, which no spreadsheet runs`,
    guard: "const safe = runs ?",
    without: "const safe = false ?",
  },
  {
    id: "usage-8",
    test: `${folder}/usage-refusals › with %s at %i %s is whole, and one more is refused, not cut off`,
    guard: "boundedRollups(deps.ledger, consoleLimits.seriesRollupsMax)",
    without: "deps.ledger",
  },
  {
    id: "usage-9",
    test: `${folder}/usage-summary › is told to nobody who sees only their own keys`,
    guard: "scope.own === null ? paceOf(",
    without: "true ? paceOf(",
  },
  {
    id: "usage-10",
    test: `${folder}/usage-summary › ends with the last whole hour where yesterday's running hour has too many calls to read`,
    guard: "return read > consoleLimits.comparedEntriesMax ? undefined : sums;",
    without: "return sums;",
  },
  {
    id: "usage-11",
    test: `${folder}/usage-summary › %s`,
    guard: ' && spanOf(at, "day") === spanOf(now, "day")',
    without: "",
  },
  {
    id: "usage-12",
    test: `${folder}/usage-limits › shows what is left, and what calls in flight hold of it`,
    guard: "filter(([request]) => timeOf(request) >= since)",
    without: "filter(() => since > 0)",
  },
  {
    id: "usage-13",
    test: `${folder}/usage-limits › shows what it has used of each, and no other key's`,
    guard: "name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : []",
    without: "[[name.slice(prefix.length), value] as const]",
  },
  {
    id: "usage-14",
    test: `${folder}/usage-summary › today and yesterday until the same time of day are the sums of their entries, for whoever asks`,
    guard: "if (isInScope(scope, event)) sums",
    without: "sums",
  },
];
