/** What keeps the table of the matrices true. */
import type { Row } from "#test/guards/guard.ts";

export const matrix: Row[] = [
  {
    id: "matrix-1",
    test: "sdk/python › in CI it is a failure",
    guard: "return isCi ? 1 : 0;",
    without: "return 0;",
  },
  {
    id: "matrix-2",
    test: "sdk/table › a changed, a new and a missing cell are told apart",
    guard: ".filter((name) => kept.get(name) !== seen.get(name))",
    without: ".filter((name) => seen.get(name) && kept.get(name) !== seen.get(name))",
  },
];
