import { type Fields, invalidField, optionalString } from "../../../base/json/fields.ts";
import { type Locale, locales } from "../../../people/identity/user.ts";

/** The language that a request names in its field `locale`. Throws `invalid_request` for another one. */
export function readLocale(fields: Fields): Locale | undefined {
  const given = optionalString(fields, "locale");
  if (given === undefined) return undefined;
  const locale = locales.find((each) => each === given);
  if (!locale) throw invalidField("locale", locales.map((each) => `\`${each}\``).join(" or "));
  return locale;
}

/** The language that a request names, else the one that its browser likes best. */
export function localeOf(fields: Fields, headers: Readonly<Record<string, string | undefined>>): Locale {
  return readLocale(fields) ?? (/^\s*zh\b/i.test(headers["accept-language"] ?? "") ? "zh" : "en");
}
