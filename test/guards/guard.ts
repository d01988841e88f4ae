/** A fault or threat of billing.md §5 and §6, or a rule of the product's own, and what keeps it. */
export interface Guard {
  /** A test as `file › name`: the file below `test/`, without `.test.ts`. It fails without the guard. */
  test: string;
  /** The text of the product that keeps the rule. The file is looked up, so a move edits no row (`anchor.ts`). */
  guard: string;
  /** The end of the file's path, where the text stands in several files. */
  in?: string;
  /** What stands in the guard's place while `npm run guards` runs the test in a copy. */
  without: string;
  /** The product's rule, where the first list of faults had another one. */
  rule?: string;
}

/** Or: it cannot happen here, and why. */
export type Row = { id: string } & (Guard | { not_applicable: string });

/** A row with a test that has to fail without its guard. */
export type Proved = Guard & { id: string };

/** Whether the row has a test. */
export function isProved(row: Row): row is Proved {
  return "test" in row;
}

/** `file › name` in its two parts. */
export function halves(text: string): [file: string, rest: string] {
  const [file = "", ...name] = text.split(" › ");
  return [file, name.join(" › ")];
}
