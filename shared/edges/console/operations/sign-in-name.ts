import { consoleLimits } from "../../../base/console-limits.ts";
import { checkUnicode, type Fields, invalidField, optionalString } from "../../../base/json/fields.ts";

/** The name that somebody gives themselves, without space around it. Throws `invalid_request` for what is no name. */
export function readUserName(fields: Fields): string | undefined {
  const name = optionalString(fields, "name")?.trim();
  if (name === undefined) return undefined;
  checkUnicode(name, "name");
  const rule = `1 to ${consoleLimits.nameCharsMax} characters without control characters`;
  if (name === "" || name.length > consoleLimits.nameCharsMax || /\p{C}/u.test(name))
    throw invalidField("name", rule);
  return name;
}
