/** Phone numbers: which ones we take, and what of them is shown and counted. */
import { invalidField } from "../../base/json/fields.ts";

/** A number that we send messages to. */
interface Phone {
  /** E.164: a plus and digits. */
  number: string;
  /** The calling code, with its plus. */
  country: string;
}

/** The calling codes that a stage takes where its setting says nothing. */
const countriesUsual = "+86";

/** What follows a calling code, where it is known to be narrower than E.164. Only mobile phones get messages. */
const mobiles: Readonly<Record<string, RegExp>> = {
  "+86": /^1[3-9]\d{9}$/,
  "+852": /^[4-9]\d{7}$/,
  "+853": /^6\d{7}$/,
  "+886": /^9\d{8}$/,
  "+1": /^[2-9]\d{2}[2-9]\d{6}$/,
};
const mobileUsual = /^[1-9]\d{5,12}$/;

/** The calling codes of a setting such as `+86,+852`. Throws `Error` where one is none. */
export function readCountries(setting: string | undefined): string[] {
  const countries = (setting?.trim() || countriesUsual).split(",").map((each) => each.trim());
  const wrong = countries.find((each) => !/^\+[1-9]\d{0,3}$/.test(each));
  if (wrong !== undefined) throw new Error(`${wrong} is no calling code such as +86`);
  return countries;
}

/** A written number with its country's code. Throws `invalid_request` for other `countries`, and for no mobile number. */
export function readPhone(text: string, countries: readonly string[]): Phone {
  const number = text.replaceAll(/[\s().-]/g, "");
  if (!/^\+[1-9]\d{6,14}$/.test(number)) throw invalidField("phone", "a number with its country's code");
  const country = countryOf(number, countries);
  if (country === undefined)
    throw invalidField("phone", `a number of a country that we send to: ${countries.join(", ")}`);
  if (!(mobiles[country] ?? mobileUsual).test(number.slice(country.length)))
    throw invalidField("phone", "a mobile number");
  return { number, country };
}

/** The calling code among these that a number begins with. */
export function countryOf(number: string, countries: readonly string[]): string | undefined {
  return countries.find((code) => number.startsWith(code));
}

/** The block of a million numbers that a number is in: all of it but the last six digits. */
export function blockOf(number: string): string {
  return number.slice(0, -6);
}

/** The range that a number is in: all of it but the last four digits. */
export function rangeOf(number: string): string {
  return number.slice(0, -4);
}

/** What may be shown of a number. */
export function lastFourOf(number: string): string {
  return number.slice(-4);
}
