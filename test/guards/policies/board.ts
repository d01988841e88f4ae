/** What processes write onto the board at the same time, and what may never depend on it. */
import type { Row } from "#test/guards/guard.ts";

export const board: Row[] = [
  {
    id: "board-1",
    test: "shared/store/board › is opened by one of those who would at the same time, and again once it is no longer open",
    guard: "when: [absentOrAtMost(names.open_until, BigInt(now))],",
    without: "",
  },
  {
    id: "board-2",
    test: "shared/store/board › is probed by one call in the world, which has its time for it",
    guard: ", absentOrAtMost(names.probed_until, BigInt(now))]",
    without: "]",
  },
  {
    id: "board-3",
    test: "shared/store/board › whose probe succeeds is closed, and nobody probes it. A limit stays",
    guard: "[atMost(names.open_until, now), ",
    without: "[",
  },
  {
    id: "board-4",
    test: "shared/store/board › stays limited until the latest instant that anybody was told",
    guard: "when: [absentOrBelow(names.limited_until, until)],",
    without: "",
  },
];
