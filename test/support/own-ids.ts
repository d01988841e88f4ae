/**
 * Ids of a provider as clients have them: with the mark of whom they were given to (shared/calls/exchange/own-ids.ts).
 */

import { readPeppers } from "#shared/base/platform/pepper.ts";
import { accountOf } from "#shared/calls/exchange/account.ts";
import { marked, type Owner } from "#shared/calls/exchange/own-ids.ts";

const mark = /_gw[0-9a-z][0-9a-z]{4}[\w-]{16}(?=")/g;

/** A text of JSON without the marks of ids: the provider's own bytes. */
export function bare(text: string): string {
  return text.replaceAll(mark, "");
}

/** An id as it was given to this owner, by the provider of the tests or another one. */
export function givenTo(
  owner: Owner,
  id: string,
  pepper: string,
  channel = { provider: "test", secret: "TEST_API_KEY" },
): string {
  return marked(id, accountOf(channel), owner, readPeppers(pepper));
}
