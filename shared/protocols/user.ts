import { checkUnicode, type Fields, invalidField, optionalString } from "../json/fields.ts";
import { limits } from "../limits.ts";

/**
 * The end user a client names in the field `name`, kept on event and entry (design §4): at most 256 bytes of
 * text that the store can keep.
 * `path` is the field's place in the body. Throws `invalid_request`.
 */
export function readUser(fields: Fields, name = "user", path = name): string | null {
  const user = optionalString(fields, name);
  if (user !== undefined && Buffer.byteLength(user) > limits.userBytesMax) {
    throw invalidField(path, `at most ${limits.userBytesMax} bytes`);
  }
  if (user !== undefined) checkUnicode(user, path);
  return user ?? null;
}
