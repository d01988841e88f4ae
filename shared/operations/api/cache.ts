/** `DELETE /api/v1/cache` and `POST /api/v1/cache/feedback` (shared/cache/README.md "Routes"). */
import type { Accounts, Principal } from "../../accounts/account.ts";
import type { CacheEntries } from "../../cache/entries.ts";
import type { SemanticPorts } from "../../cache/semantic/ports.ts";
import { switchOffIfDue } from "../../cache/semantic/switch-off.ts";
import { GatewayError } from "../../errors.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../http/message.ts";
import { readJsonObject, refuseDuplicates } from "../../json/body.ts";
import { invalidField, requiredString } from "../../json/fields.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { limits } from "../../limits.ts";
import { isId } from "../../platform/id.ts";
import type { Log } from "../../platform/log.ts";

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
  semantic(): Promise<Pick<SemanticPorts, "contexts">>;
  log: Log;
  now: () => number;
}

/**
 * Removes the entry that a call was answered from, and so its aliases. A semantic hit also counts as refuted, once.
 * Throws `not_found` for a call that is not booked yet, unknown, or not visible to the key, and `invalid_request` for one
 * that a provider answered.
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
  if (cache.context !== undefined) await refute({ scope, context: cache.context }, event, deps);
  return jsonReply({ object: "cache_feedback", request: id, entry: cache.entry, removed });
}

/** Counts a call whose answer was wrong as an audit does, and switches its context off where that is due. */
async function refute(
  { scope, context }: { scope: string; context: string },
  { id, organization, project }: UsageEvent,
  deps: FeedbackDeps,
): Promise<void> {
  const { contexts } = await deps.semantic();
  const place = { scope, context, organization, project };
  const evidence = await contexts.countAudit(place, { request: id, verdict: "refuted" }, deps.now());
  await switchOffIfDue(place, evidence, { contexts, log: deps.log, now: deps.now });
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
