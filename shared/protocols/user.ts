import { type Fields, invalidField, optionalString } from "../http/fields.ts";
import { limits } from "../limits.ts";

/** OpenAI's `user`, kept on event and entry (design §4): at most 256 bytes. Throws `invalid_request`. */
export function readUser(fields: Fields): string | null {
  const user = optionalString(fields, "user");
  if (user !== undefined && Buffer.byteLength(user) > limits.userBytesMax) {
    throw invalidField("user", `at most ${limits.userBytesMax} bytes`);
  }
  return user ?? null;
}
