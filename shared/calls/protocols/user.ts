import { checkUnicode, type Fields, invalidField, optionalString } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";

/** The end user in the field `name`: at most 256 bytes of Unicode (design §4). Throws `invalid_request` at `path`. */
export function readUser(fields: Fields, name = "user", path = name): string | null {
  const user = optionalString(fields, name);
  if (user !== undefined && Buffer.byteLength(user) > limits.userBytesMax) {
    throw invalidField(path, `at most ${limits.userBytesMax} bytes`);
  }
  if (user !== undefined) checkUnicode(user, path);
  return user ?? null;
}
