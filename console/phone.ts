/** A phone number as people type it. */

/** The number in E.164, or undefined where it cannot be one. A country code that was typed too is left out. */
export function phoneOf(country: string, typed: string): string | undefined {
  const bare = typed.replace(/[\s().-]/g, "");
  const national = bare.startsWith(country) ? bare.slice(country.length) : bare;
  const digits = country === "+86" ? /^1\d{10}$/ : /^\d{4,14}$/;
  return digits.test(national) ? `${country}${national}` : undefined;
}
