/** To whom an invoice is made out, and where it goes, all by the customer (people/invoices/README.md "Titles"). */
import { consoleLimits } from "../../base/console-limits.ts";
import { checkUnicode, type Fields, invalidField, isAbsent, isObject } from "../../base/json/fields.ts";
import type { InvoiceTitle } from "./invoice.ts";
import { isCreditCode } from "./tax-id.ts";

const kinds = ["personal", "company"] as const;

/** Control characters, and the marks that turn the direction of a text or are not seen. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Tax ids of other countries, such as `DE123456789`. */
const foreignTaxId = /^[A-Z0-9][A-Z0-9 ./-]{2,28}[A-Z0-9]$/;
const address = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}$/;

/** The title of an invoice in this currency. Throws `invalid_request`, which names the field. */
export function readTitle(given: unknown, currency: string): InvoiceTitle {
  if (!isObject(given)) throw invalidField("title", "an object with `kind` and `name`");
  const unknown = Object.keys(given).find((name) => !["kind", "name", "tax_id"].includes(name));
  if (unknown !== undefined) throw invalidField(`title.${unknown.slice(0, 64)}`, "absent");
  const kind = kinds.find((each) => each === given.kind);
  if (!kind) throw invalidField("title.kind", "`personal` or `company`");
  const name = readName(given);
  const tax_id = readTaxId(given, kind, currency);
  return { kind, name, ...(tax_id !== undefined && { tax_id }) };
}

function readName({ name }: Fields): string {
  const text = typeof name === "string" ? name.trim() : "";
  checkUnicode(text, "title.name");
  if (text === "" || text.length > consoleLimits.invoiceNameCharsMax || unseen.test(text)) {
    throw invalidField("title.name", `1 to ${consoleLimits.invoiceNameCharsMax} visible characters`);
  }
  return text;
}

function readTaxId(
  { tax_id: given }: Fields,
  kind: InvoiceTitle["kind"],
  currency: string,
): string | undefined {
  if (kind === "personal") {
    if (isAbsent(given)) return undefined;
    throw invalidField("title.tax_id", "absent where the title is personal");
  }
  const isChinese = currency === "CNY";
  if (isAbsent(given) && !isChinese) return undefined;
  const text = typeof given === "string" ? given.trim().toUpperCase() : "";
  if (isChinese ? isCreditCode(text) : foreignTaxId.test(text)) return text;
  throw invalidField(
    "title.tax_id",
    isChinese
      ? "the unified social credit code: 18 characters, the last of which checks the others"
      : "4 to 30 letters, digits, spaces, dots, slashes and hyphens",
  );
}

/** An e-mail address. Throws `invalid_request`. */
export function readEmail(given: unknown): string {
  const text = typeof given === "string" ? given.trim() : "";
  if (text.length > consoleLimits.emailCharsMax || !address.test(text)) {
    throw invalidField("email", "an e-mail address, such as finance@example.com");
  }
  return text;
}
