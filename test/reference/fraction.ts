/** Plain fractions of whole numbers: all the arithmetic that the reference bills need, and none of the product's. */

export interface Fraction {
  top: bigint;
  bottom: bigint;
}

export const zero: Fraction = { top: 0n, bottom: 1n };

/** A decimal such as `0.0125`, or a whole number. */
export function fraction(value: string | number): Fraction {
  const [whole = "0", decimals = ""] = String(value).split(".");
  return { top: BigInt(whole + decimals), bottom: 10n ** BigInt(decimals.length) };
}

function plus(a: Fraction, b: Fraction): Fraction {
  return { top: a.top * b.bottom + b.top * a.bottom, bottom: a.bottom * b.bottom };
}

export function minus(a: Fraction, b: Fraction): Fraction {
  return plus(a, { top: -b.top, bottom: b.bottom });
}

export function times(...factors: Fraction[]): Fraction {
  return factors.reduce((a, b) => ({ top: a.top * b.top, bottom: a.bottom * b.bottom }));
}

export function sum(terms: Iterable<Fraction>): Fraction {
  let total = zero;
  // Without this the denominators of a thousand terms would multiply to a number of many pages.
  for (const term of terms) total = reduced(plus(total, term));
  return total;
}

function reduced({ top, bottom }: Fraction): Fraction {
  let [a, b] = [top < 0n ? -top : top, bottom];
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? zero : { top: top / a, bottom: bottom / a };
}

/** The fraction as a decimal, digit by digit as in a long division. Throws where it has no end within 18 digits. */
export function decimal({ top, bottom }: Fraction): string {
  const sign = top < 0n ? "-" : "";
  const magnitude = top < 0n ? -top : top;
  let digits = "";
  let rest = magnitude % bottom;
  while (rest !== 0n && digits.length < 18) {
    rest *= 10n;
    digits += String(rest / bottom);
    rest %= bottom;
  }
  if (rest !== 0n) throw new RangeError(`${top}/${bottom} has more than 18 decimals`);
  return `${sign}${magnitude / bottom}${digits === "" ? "" : `.${digits}`}`;
}
