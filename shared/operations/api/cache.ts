/** `DELETE /api/v1/cache` and `POST /api/v1/cache/feedback` (shared/cache/README.md "Routes"). */
import type { Accounts, Principal } from "../../accounts/account.ts";
import type { CacheEntries } from "../../cache/entries.ts";
import { GatewayError } from "../../errors.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../http/message.ts";
import { readJsonObject, refuseDuplicates } from "../../json/body.ts";
import { invalidField, requiredString } from "../../json/fields.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { limits } from "../../limits.ts";
import { isId } from "../../platform/id.ts";

/**
 * Empties the cache of the caller's organization. Other processes may know its old epoch for as long as they keep its
 * record. Throws `permission_denied` for a key that does not manage keys.
 */
export async function emptyCache(
  { key, organization }: Principal,
  { accounts }: { accounts: Pick<Accounts, "emptyCache"> },
): Promise<HttpReply> {
  const managesKeys = key.permissions.includes("manage_keys");
  if (!managesKeys) {
    throw new GatewayError("permission_denied", { message: "The API key lacks the permission manage_keys." });
  }
  await accounts.emptyCache(organization.id);
  return jsonReply({ object: "cache", emptied: true, within_seconds: limits.keyCacheSeconds });
}

const feedbackFields = new Set(["request", "wrong"]);

interface FeedbackDeps {
  ledger: Pick<Ledger, "entriesOf">;
  cache: Pick<CacheEntries, "remove">;
}

/**
 * Removes the entry that a call was answered from. Throws `not_found` for a call that is not booked yet, unknown, or not
 * visible to the key, and `invalid_request` for one that a provider answered.
 */
export async function takeFeedback(
  request: HttpRequest,
  caller: Principal,
  deps: FeedbackDeps,
): Promise<HttpReply> {
  const id = readFeedback(request);
  const entries = isId(id, "request") ? await deps.ledger.entriesOf(caller.organization.id, id) : [];
  const event = entries.at(-1)?.event;
  const { project } = caller.key;
  if (!event || event.id !== id || (project !== "" && project !== event.project)) {
    throw new GatewayError("not_found", { param: "request" });
  }
  const { cache } = event;
  if (!cache) {
    const message = "The call was not answered out of the cache.";
    throw new GatewayError("invalid_request", { message, param: "request" });
  }
  const [scope = "", name = ""] = cache.place.split("/");
  const removed = await deps.cache.remove({ scope, name }, cache.entry);
  return jsonReply({ object: "cache_feedback", request: id, entry: cache.entry, removed });
}

function readFeedback(request: HttpRequest): string {
  const { value, members } = readJsonObject(request.body);
  refuseDuplicates(members, feedbackFields);
  for (const name of Object.keys(value)) {
    if (!feedbackFields.has(name))
      throw new GatewayError("invalid_request", { message: `\`${name}\` is unknown.`, param: name });
  }
  if (value.wrong !== true) throw invalidField("wrong", "true");
  return requiredString(value, "request");
}
