/** What processes write onto the board at the same time, and what may never depend on it. */
import type { Row } from "#test/guards/guard.ts";

export const board: Row[] = [
  {
    id: "board-1",
    test: "shared/edges/store/board › is opened by one of those who would at the same time, and again once it is no longer open",
    guard: "when: [opening.only_for === undefined ? either(isClosed, exists(names.only_for)) : isClosed],",
    without: "",
  },
  {
    id: "board-2",
    test: "shared/edges/store/board › is probed by one call in the world, which has its time for it",
    guard: ", absentOrAtMost(names.probed_until, BigInt(now))]",
    without: "]",
  },
  {
    id: "board-3",
    test: "shared/edges/store/board › whose probe succeeds is closed, and nobody probes it. A limit stays",
    guard: "[atMost(names.open_until, now), ",
    without: "[",
  },
  {
    id: "board-4",
    test: "shared/edges/store/board › stays limited until the latest instant that anybody was told",
    guard: "when: [absentOrBelow(names.limited_until, until)],",
    without: "",
  },
  {
    id: "board-5",
    test: "shared/edges/jobs/settle › counts its new answers in one write, and those that come again count no more",
    guard: 'results[at] === "recorded"',
    without: "results[at]",
  },
  {
    id: "board-6",
    test: "shared/edges/jobs/settle › is settled as ever where the board is %s",
    guard: 'log("warn", "board_failed", { model: addition.model, error: describeError(error) });',
    without: "throw error;",
  },
  {
    id: "board-7",
    test: "shared/edges/jobs/settle › that %s is left out, and its call is billed",
    guard: "...(isRoute(route) && { route }),",
    without: "route: route as CallRoute,",
  },
  {
    id: "board-8",
    test: "shared/base/platform/aws-clients › clients send a request as often as they may, and no more",
    guard: "...(attemptsMax !== undefined && { maxAttempts: attemptsMax }),",
    without: "",
  },
  {
    id: "board-9",
    test: "shared/edges/api/receipts › tells how the call found its channel, and not which of a provider's channels it was",
    guard: "attempts: attempts.map(attemptOf)",
    without: "attempts",
  },
  {
    id: "board-10",
    test: "shared/edges/api/model-routes › without the board every value is null, and the page is still there",
    guard: 'log("warn", "board_unreachable", { model, error: describeError(error) });',
    without: "throw error;",
  },
  {
    id: "board-11",
    test: "shared/edges/jobs/settle › has the route as its event had it, and the event may come again",
    guard: "if (!Array.isArray(route)) return isRoute(route) ? { ...event, route } : event;",
    without: "if (!Array.isArray(route)) return event;",
  },
  {
    id: "board-12",
    test: "shared/calls/routing/observe › not by one refusal of our account among answers, but once they are no more than the refusals",
    guard: "faults >= least && faults >= faultShareMin * (answers + faults)",
    without: "faults >= least",
  },
  {
    id: "board-13",
    test: "shared/calls/gateway/route-taken › a call ends although the board hangs",
    guard: "return within(Promise.all(writes).then(nothing), boardBounds.notesMs, undefined);",
    without: "return Promise.all(writes).then(nothing);",
  },
  {
    id: "board-14",
    rule: "a channel that is open for one organization may be opened for all meanwhile",
    test: "shared/edges/store/board › is opened for a witness alone, for another one not meanwhile, and for all at once",
    guard: "opening.only_for === undefined ? either(isClosed, exists(names.only_for)) : isClosed",
    without: "isClosed",
  },
  {
    id: "board-15",
    rule: "no number of organizations makes a window long",
    test: "shared/calls/routing/witness › is told apart for eight witnesses of a window, and those of more count for all",
    guard: 'name !== "" && (names.includes(name) || names.length < boardBounds.witnessesMax)',
    without: 'name !== "" && names.length >= 0',
  },
  {
    id: "board-16",
    test: "shared/edges/console/operations/models › are measured over all of their keys, and are as good as the best of these",
    guard: "const { cached_share: _, ...measures } = measuresOf(board, ids, seen);",
    without: "const measures = measuresOf(board, ids, seen);",
    rule: "members are told how a provider does, and nothing of how others ask it",
  },
  {
    id: "board-17",
    test: "shared/edges/console/operations/models › are not out for whom they answer: a fault that one organization alone sees is told to that one alone",
    guard: "witness: witnessOf(callerOf(call).organization.id) };",
    without: 'witness: "zzzz" };',
  },
  {
    id: "board-18",
    rule: "however busy a model is, a process that has seen a fault reads its board",
    test: "shared/calls/routing/busy-copies › is read by the next call after a fault that its process has seen",
    guard: "if (counts.faults) copy.isDoubted = true;",
    without: "",
  },
  {
    id: "board-19",
    rule: "while a channel is open, one call probes it",
    test: "shared/calls/routing/busy-copies › is read by every call while a channel is open, so that one call probes it",
    guard: " || hasOpenChannel(board, now)",
    without: "",
  },
];
