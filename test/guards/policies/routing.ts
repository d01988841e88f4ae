/** What opens and closes a channel, and what its order goes by (shared/routing/README.md). */
import type { Row } from "#test/guards/guard.ts";

export const routing: Row[] = [
  {
    id: "routing-1",
    rule: "a refusal for a limit is no fault",
    test: "shared/routing/observe › not by any number of refusals for a limit",
    guard: 'add(observed, "limited", copies, deps),',
    without: "noteFault(observed, copies, deps),",
  },
  {
    id: "routing-2",
    rule: "only the call that has the claim probes a channel",
    test: "shared/routing/observe › is probed by one call in the world after its time, however many come",
    guard: "return isClaimed ? probing(order, probe) : order;",
    without: "return isClaimed ? probing(order, probe) : probing(order, probe);",
  },
  {
    id: "routing-3",
    rule: "few measurements say little",
    test: "shared/routing/order-health › is not left by what two answers took",
    guard: "const pseudoMeasurements = 6;",
    without: "const pseudoMeasurements = 0;",
  },
  {
    id: "routing-4",
    rule: "a probe that is answered closes its channel",
    test: "shared/routing/observe › is closed by the probe's answer, for all processes",
    guard: "await written(() => boards.close(model, channel), copies);",
    without: "void boards;",
  },
  {
    id: "routing-5",
    rule: "no two organizations share a conversation",
    test: "shared/routing/conversation › has another name in another organization",
    guard: 'nameOf([organization, "opener", ...opener])',
    without: 'nameOf(["opener", ...opener])',
  },
  {
    id: "routing-6",
    rule: "a clock that is far ahead leaves no channel for long",
    test: "shared/routing/breaker › opened by a clock that is wrong by an hour",
    guard: "return until <= now + longest + limits.channelClockSkewMs;",
    without: "return until <= now + longest * 1e6 + limits.channelClockSkewMs;",
  },
  {
    id: "routing-7",
    rule: "a call that waited long for its fault looks at the board before it opens a channel",
    test: "shared/routing/observe › not by a call that failed after waiting since before the channel was opened",
    guard: "const look = copies.look(model);",
    in: "routing/observe.ts",
    without: "const look = { ready: async (_: number) => copies.board(model) };",
  },
  {
    id: "routing-8",
    rule: "what a process has added is not counted a second time when it reads it",
    test: "shared/routing/copies › is counted once, whether a read shows it or not",
    guard: "return combined(one, other, Math.max);",
    without: "return combined(one, other, (a, b) => a + b);",
  },
  {
    id: "routing-9",
    rule: "some calls ask a slow channel, so that its recovery is seen",
    test: "shared/routing/order-health › is asked by a few of its conversations all the same, so that its recovery is seen",
    guard: "const exploredShare = 1 / 64;",
    without: "const exploredShare = 0;",
  },
];
