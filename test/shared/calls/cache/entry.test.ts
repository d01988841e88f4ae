/** Which entries a call takes: those of its own question, those that mean the same, and the targets of aliases. */
import { expect, test } from "vitest";
import { isTaken } from "#shared/calls/cache/entry.ts";

const entry = { at: 1_000_000, until: 1_100_000 };

test.each([
  ["before its end", undefined, 1_099_999, true],
  ["at its end", undefined, 1_100_000, false],
  ["after its end, though the client would take an older one", 3_600, 1_100_001, false],
  ["as old as the client wants at most", 50, 1_050_000, true],
  ["older than the client wants", 50, 1_050_001, false],
])("an entry %s", (_, max_age, now, taken) => {
  expect(isTaken(entry, { max_age }, now)).toBe(taken);
});
