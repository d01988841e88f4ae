/**
 * Patterns of names, in which `*` stands for any text. A stranger may write one. So it is matched from left to right and
 * never tried again: the time grows with the product of both lengths, whatever they are.
 */

/** The form in which names of models are compared: without letter case, and with `-` for `.` and `_` (contract §1.5). */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/[._]/g, "-");
}

/** What tells whether a text is one of a pattern, read once. */
export function patternOf(pattern: string): (text: string) => boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const word of others) {
      const found = text.indexOf(word, at);
      if (found < 0 || found + word.length > end) return false;
      at = found + word.length;
    }
    return true;
  };
}

/**
 * Whether each text of `narrow` is one of `wide`. As a text, `narrow` fits `wide` only where a `*` of `wide` stands for
 * each `*` of `narrow`. So a yes is certain. A no may be wrong where only the sum of several patterns has them all.
 */
export function covers(wide: string, narrow: string): boolean {
  return patternOf(wide)(narrow);
}
