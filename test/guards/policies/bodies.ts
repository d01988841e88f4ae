/** How a large body is read without decoding it, and sent without copying it. */
import type { Row } from "#test/guards/guard.ts";

export const bodies: Row[] = [
  {
    id: "bodies-1",
    test: "shared/base/json/outline › refuses every long text that is not valid",
    guard: "const isLong = end - start > limits.longTextBytesMin && isValid;",
    without: "const isLong = end - start > limits.longTextBytesMin;",
  },
  {
    id: "bodies-2",
    test: "shared/base/json/outline › does without where a string begins as its own marks do",
    guard: "if (isEscaped && this.#beginsAsMark(start + 1)) this.#isAmbiguous = true;",
    without: "",
  },
  {
    id: "bodies-3",
    test: "shared/base/json/outline › gives the value and the members that a whole parse gives",
    guard: "this.#places.members.has(member) && !this.#isKey(end)",
    without: "this.#places.members.has(member)",
  },
  {
    id: "bodies-4",
    test: "shared/base/json/outline › finds the end of a string, and whether JSON takes it, whatever the bytes",
    guard: "if ((first | last) !== 0) break;",
    without: "",
  },
  {
    id: "bodies-5",
    test: "shared/calls/exchange/slices › has every long text as text",
    guard: "outliner.fill(outline);",
    without: "",
  },
];
