/**
 * What a fault or threat of billing.md §5 and §6 is met by. `test` names a test as `file › name` (the file
 * below `test/`, without `.test.ts`); `guard` names what would have to be deleted for it to fail, as
 * `file: text`. `without` is what stands there once it is deleted: `npm run guards` tries it in a copy.
 */
export interface Guard {
  test: string;
  guard: string;
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

/** `file: text` and `file › name` in their two parts. */
export function halves(text: string, separator: ": " | " › "): [file: string, rest: string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}
