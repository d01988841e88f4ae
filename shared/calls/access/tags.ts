/** The tags of a call: those of its header, and those of its key that the header does not name. */

import { GatewayError } from "../../base/errors.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import { limits } from "../../base/limits.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { keyDefaults } from "../../books/accounts/key-defaults.ts";
import { readTags, tagsRule, withOtherTags } from "../../books/billing/tags.ts";

const param = keyDefaults.tags.header;

/** Reads them; undefined where there are none. Throws `invalid_request` for a header that breaks the rule of tags. */
export function tagsOf(
  { headers }: Pick<HttpRequest, "headers">,
  { key }: Pick<Principal, "key">,
): string | undefined {
  const given = headers[param];
  const own = key.defaults?.tags;
  if (given === undefined) return own;
  const tags = readTags(given);
  if (tags === undefined)
    throw new GatewayError("invalid_request", { message: `${param} must be ${tagsRule}.`, param });
  if (own === undefined) return tags;
  const all = withOtherTags(tags, own);
  if (all !== undefined) return all;
  const message = `A call has at most ${limits.tagsMax} tags. Those of ${param} and of the key are more.`;
  throw new GatewayError("invalid_request", { message, param });
}
