import { checkUnicode, type Fields, invalidField, optionalString } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";

/**
 * The end user that a client names in the field `name`. It is stored on event and entry (design §4), so it has at most
 * 256 bytes of valid Unicode. `path` is the field's place in the body. Throws `invalid_request`.
 */
export function readUser(fields: Fields, name = "user", path = name): string | null {
  const user = optionalString(fields, name);
  if (user !== undefined && Buffer.byteLength(user) > limits.userBytesMax) {
    throw invalidField(path, `at most ${limits.userBytesMax} bytes`);
  }
  if (user !== undefined) checkUnicode(user, path);
  return user ?? null;
}
