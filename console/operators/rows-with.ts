/** The rows that have every word of a text in one of their names, in capitals or not. Without words all of them. */
export function rowsWith<Row>(
  text: string,
  rows: readonly Row[],
  namesOf: (row: Row) => readonly string[],
): readonly Row[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const names = namesOf(row).map((name) => name.toLowerCase());
    return wanted.every((word) => names.some((name) => name.includes(word)));
  });
}
