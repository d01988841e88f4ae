/** A figure that was measured several times: the median, and how far the rounds lie apart. */

export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** The spread of what was measured; undefined where nothing was. */
export function spreadOf(values: readonly number[]): Spread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [least] = sorted;
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) return undefined;
  const middle = (sorted.length - 1) / 2;
  const [low = least, high = least] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return { median: (low + high) / 2, least, most };
}

/** The smallest value that at least this share of all is not above; undefined of none. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** `2,057 (1,990–2,210)`, or the figure alone where it was measured once; nothing where nothing was measured. */
export function printSpread(spread: Spread | undefined, decimals = 0): string {
  if (!spread) return "";
  const [median, least, most] = [spread.median, spread.least, spread.most].map((value) =>
    printNumber(value, decimals),
  );
  return spread.least === spread.most ? String(median) : `${median} (${least}–${most})`;
}

export function printNumber(value: number, decimals = 0): string {
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}
