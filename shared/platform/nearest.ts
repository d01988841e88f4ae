/** Finds what somebody may have meant by a word that is not known. */

/**
 * The known words nearest to `word`, the best first and at most `most`: those that take no more changes of one
 * character than a third of its length. Two characters that changed places are one change. Case counts: give both
 * sides in the form they are compared in.
 */
export function nearest(word: string, known: Iterable<string>, most = 1): string[] {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const near: { name: string; changes: number }[] = [];
  for (const name of known) {
    if (Math.abs(name.length - word.length) > allowed) continue;
    const changes = changesBetween(word, name);
    if (changes <= allowed) near.push({ name, changes });
  }
  return near
    .sort((a, b) => a.changes - b.changes)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
function changesBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      let least = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + same);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) least = Math.min(least, at(beforeLast, column - 2) + 1);
      current.push(least);
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
