/** `DELETE /api/v1/cache` and `POST /api/v1/cache/feedback` (shared/calls/cache/README.md "Routes"). */

import { GatewayError } from "../../base/errors.ts";
import { type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import { invalidField, requiredString } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import { isId } from "../../base/platform/id.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Accounts, Principal } from "../../books/accounts/account.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { CacheEntries } from "../../calls/cache/entries.ts";
import type { SemanticPorts } from "../../calls/cache/semantic/ports.ts";
import { switchOffIfDue } from "../../calls/cache/semantic/switch-off.ts";
import type { AuditPort } from "../../people/identity/audit.ts";
import type { AuditedKeys } from "../../people/identity/audited-keys.ts";
import type { GatewaySchema } from "../openapi/route-types.ts";
import type { EntryOf } from "./audited-keys.ts";
import type { KeyRights } from "./key-rights.ts";

/** Empties an organization's cache with its line of the audit log. Other processes may know the old epoch for a while. */
export async function emptyCache(
  { organization: { id } }: KeyRights,
  { accounts, audited }: { accounts: Pick<Accounts, "emptyCache">; audited?: Audited | undefined },
) {
  if (audited) await audited.auditedKeys.emptyCache(id, audited.entryOf("cache_emptied", id, {}));
  else await accounts.emptyCache(id);
  return jsonReply({ object: "cache", emptied: true, within_seconds: limits.keyCacheSeconds });
}

/** How changes of the cache leave lines in the audit log. */
interface Audited {
  auditedKeys: Pick<AuditedKeys, "emptyCache">;
  auditLog: AuditPort;
  entryOf: EntryOf;
}

const feedbackFields: ReadonlySet<string> = new Set<keyof GatewaySchema<"CacheFeedback">>([
  "request",
  "wrong",
]);

interface FeedbackDeps {
  ledger: Pick<Ledger, "entriesOf">;
  cache: Pick<CacheEntries, "remove">;
  semantic(): Promise<Pick<SemanticPorts, "contexts">>;
  /** Opens the audit log; undefined where there is none. */
  audited(): Promise<Audited | undefined>;
  log: Log;
  now: () => number;
}

/**
 * Removes the answered entry and its aliases; a semantic hit counts as refuted. Throws `not_found`, `invalid_request`.
 */
export async function takeFeedback(request: HttpRequest, caller: Principal, deps: FeedbackDeps) {
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
  if (removed) await noteRemoval(id, deps);
  if (cache.context !== undefined) await refute({ scope, context: cache.context }, event, deps);
  return jsonReply({ object: "cache_feedback", request: id, entry: cache.entry, removed });
}

/** Notes that an answer was removed. It is gone by then, so a line that cannot be written is told in our own log. */
async function noteRemoval(request: string, { audited, log }: FeedbackDeps): Promise<void> {
  try {
    const lines = await audited();
    await lines?.auditLog.write(lines.entryOf("cache_answer_removed", request, {}));
  } catch (error) {
    log("error", "audit_not_written", { request, error: describeError(error) });
  }
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
