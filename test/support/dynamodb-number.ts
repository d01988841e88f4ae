/** DynamoDB's numbers: decimals of up to 38 digits, kept exactly and written in one normal form. */

const digitsMax = 38;
/** Whole numbers in their normal form, small enough that two of them and their sum are exact as a `number`. */
const smallPattern = /^(?:0|-?[1-9]\d{0,14})$/;
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** A number as digits × 10^exponent, without zeros at its end. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

/** Reads the text of an `N`. Throws `SyntaxError` on what is no number of DynamoDB's. */
function parseDecimal(text: string): Decimal {
  if (/^-?(?:0|[1-9]\d{0,17})$/.test(text)) return { digits: BigInt(text), exponent: 0 };
  const [, sign, whole = "", fraction = "", power = "0"] = pattern.exec(text) ?? [];
  if (sign === undefined || whole + fraction === "") throw new SyntaxError(`no number: ${text}`);
  const digits = BigInt(`${sign === "-" ? "-" : ""}${whole}${fraction}`);
  return trimmed({ digits, exponent: Number(power) - fraction.length });
}

function trimmed({ digits, exponent }: Decimal): Decimal {
  if (digits === 0n) return { digits, exponent: 0 };
  let [rest, power] = [digits, exponent];
  while (rest % 10n === 0n) [rest, power] = [rest / 10n, power + 1];
  if (String(rest).replace("-", "").length > digitsMax) throw new SyntaxError("more than 38 digits");
  return { digits: rest, exponent: power };
}

function aligned(a: Decimal, b: Decimal): { a: bigint; b: bigint; exponent: number } {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (each: Decimal) => each.digits * 10n ** BigInt(each.exponent - exponent);
  return { a: scaled(a), b: scaled(b), exponent };
}

/** The sum of two numbers. Throws `SyntaxError` when it has more than 38 digits. */
export function addNumbers(left: string, right: string): string {
  if (smallPattern.test(left) && smallPattern.test(right)) return String(Number(left) + Number(right));
  const { a, b, exponent } = aligned(parseDecimal(left), parseDecimal(right));
  return format(trimmed({ digits: a + b, exponent }));
}

/** Negative, zero or positive, as the first is below, equal to or above the second. */
export function compareNumbers(left: string, right: string): number {
  if (smallPattern.test(left) && smallPattern.test(right)) return Number(left) - Number(right);
  const { a, b } = aligned(parseDecimal(left), parseDecimal(right));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The normal form: no zeros at either end, no exponent. */
export function normalNumber(text: string): string {
  return smallPattern.test(text) ? text : format(trimmed(parseDecimal(text)));
}

function format({ digits, exponent }: Decimal): string {
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  const text = String(digits < 0n ? -digits : digits).padStart(1 - exponent, "0");
  const sign = digits < 0n ? "-" : "";
  return `${sign}${text.slice(0, exponent)}.${text.slice(exponent)}`;
}
