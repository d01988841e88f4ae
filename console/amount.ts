/** Amounts of money as decimal strings. They are never made floats to be reckoned with. */

/** Which form an amount has: digits, and at most as many behind the point as the currency's `min` has. */
const form = /^(\d{1,9})(?:\.(\d+))?$/;

/** An amount in units of `10^-digits`. Undefined: it is no plain decimal number with so many digits at most. */
function minorUnits(text: string, digits: number): bigint | undefined {
  const [, whole, part = ""] = form.exec(text.trim()) ?? [];
  if (whole === undefined || part.length > digits) return undefined;
  return BigInt(whole + part.padEnd(digits, "0"));
}

const digitsOf = (text: string) => text.split(".")[1]?.length ?? 0;

interface Bounds {
  min: string;
  max: string;
}

/** An amount within the bounds, written as the API takes it, such as `"100.00"`. Undefined: it is none. */
export function amountWithin(text: string, { min, max }: Bounds): string | undefined {
  const digits = digitsOf(min);
  const [amount, least, most] = [text, min, max].map((each) => minorUnits(each, digits));
  if (amount === undefined || least === undefined || most === undefined) return undefined;
  return amount < least || amount > most ? undefined : decimal(amount, digits);
}

/** What an amount is worth in points, exactly. */
export function worth(amount: string, perUnit: string): string {
  const digits = [digitsOf(amount), digitsOf(perUnit)] as const;
  const product = (minorUnits(amount, digits[0]) ?? 0n) * (minorUnits(perUnit, digits[1]) ?? 0n);
  return decimal(product, digits[0] + digits[1]);
}

/** Two amounts of the same currency, added up. */
export function total(one: string, other: string): string {
  const digits = Math.max(digitsOf(one), digitsOf(other));
  return decimal((minorUnits(one, digits) ?? 0n) + (minorUnits(other, digits) ?? 0n), digits);
}

/** Whether an amount covers another one. A debt covers nothing. */
export function isEnough(has: string, needed: string): boolean {
  const digits = Math.max(digitsOf(has), digitsOf(needed));
  const [left, least] = [minorUnits(has, digits), minorUnits(needed, digits)];
  return left !== undefined && least !== undefined && left >= least;
}

function decimal(units: bigint, digits: number): string {
  const text = String(units).padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

const round = ["10", "50", "100", "500", "1000", "5000"];

/** Round amounts within the bounds, to choose from. */
export function roundAmounts(bounds: Bounds): string[] {
  return round.flatMap((amount) => amountWithin(amount, bounds) ?? []);
}
