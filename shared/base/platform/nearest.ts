/** Finds the known words that an unknown word may have meant. */

/**
 * The known words nearest to `word`, the best first, at most `most`. A near word takes no more changes of one character
 * than a third of its length; a swap is one. Case counts.
 */
export function nearest(word: string, known: Iterable<string>, most = 1): string[] {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const near: { name: string; changes: number }[] = [];
  for (const name of known) {
    if (Math.abs(name.length - word.length) > allowed) continue;
    const changes = changesBetween(word, name, allowed);
    if (changes <= allowed) near.push({ name, changes });
  }
  return near
    .sort((a, b) => a.changes - b.changes)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; infinity for more than `most`. */
export function changesBetween(a: string, b: string, most: number): number {
  // A common beginning or end takes no change.
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const [one, other] = [a.slice(from, endA), b.slice(from, endB)];
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = new Array<number>(other.length + 1).fill(Number.POSITIVE_INFINITY);
    current[0] = row;
    let nearest = row;
    const end = Math.min(other.length, row + most);
    for (let column = Math.max(1, row - most); column <= end; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      let least = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + same);
      const isSwap =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (isSwap) least = Math.min(least, at(beforeLast, column - 2) + 1);
      current[column] = least;
      nearest = Math.min(nearest, least);
    }
    // A swap reaches back to the row before, and may still save one change.
    if (nearest > most + 1) return Number.POSITIVE_INFINITY;
    [beforeLast, last] = [last, current];
  }
  const changes = at(last, other.length);
  return changes > most ? Number.POSITIVE_INFINITY : changes;
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
