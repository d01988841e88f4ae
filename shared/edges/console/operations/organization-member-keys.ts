/** The keys that descend from a member (people/identity/members.md "When a member goes"). */

import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { isId } from "../../../base/platform/id.ts";
import type { KeyRecord } from "../../../books/accounts/account.ts";
import { isKept, isKnownTo } from "../../../books/accounts/key-state.ts";
import { keysOf } from "../../../books/accounts/organization-keys.ts";
import type { Actor } from "../../../people/identity/audit.ts";
import type { Members } from "../../../people/identity/members.ts";
import { isSignedIn } from "../../../people/identity/program.ts";
import { mayDo } from "../../../people/identity/roles.ts";
import { entriesBy, revocationBy } from "../../api/audited-keys.ts";
import { keysWhere } from "../../api/key-rights.ts";
import { readKeyPage } from "../../api/keys.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { type MemberKeyDeps, showToMembers } from "./organization-keys.ts";

/** Which of the keys that descend from somebody end: those that manage keys, those of programs too, or all of them. */
export type EndedKeys = "managing" | "bound" | "all";

const isEnded: Record<EndedKeys, (key: KeyRecord) => boolean> = {
  managing: ({ permissions }) => permissions.includes("manage_keys"),
  bound: (key) => isEnded.managing(key) || key.program !== undefined,
  all: () => true,
};

/** Whether a key is in use. The program of one that has ended by its time could renew it. */
const isInUse = (key: KeyRecord, now: number) => isKept(key, now) || isSignedIn(key, now);

/**
 * `GET /api/v1/members/{id}/keys?limit=&after=`: keys in use, for the member and for who manages members.
 * `ends_with_member`: it ends in any case. Throws `not_found` for who is no member and has left no key.
 */
export async function listMembersKeys(
  call: ConsoleCall,
  deps: MemberKeyDeps & { members: Pick<Members, "membership"> },
) {
  const { organization, user, role } = callerOf(call);
  const { id = "" } = call.parameters;
  if (id !== user.id && !mayDo(role, "manage_members")) {
    const message = `The role ${role} may see only the keys that descend from itself.`;
    throw new GatewayError("permission_denied", { message });
  }
  const now = deps.now();
  const isTheirs = (key: KeyRecord) => isKnownTo(key, id) && isInUse(key, now);
  const page = readKeyPage(call.request);
  const { keys, more, last } = await keysWhere(organization.id, isTheirs, page, deps.accounts);
  const mayBeEmpty = isId(id, "user") && (await deps.members.membership(organization.id, id)) !== undefined;
  if (keys.length === 0 && !mayBeEmpty) throw noMember();
  const shown = await showToMembers(organization, keys, deps);
  const data = keys.map((key, at) => ({
    ...(shown[at] as ConsoleSchema<"ApiKey">),
    ends_with_member: isEnded.bound(key),
  }));
  return jsonReply({ object: "list", data, has_more: more, last_id: last });
}

/** What is said where a path names somebody who is no member of the organization. */
export function noMember(): GatewayError {
  return new GatewayError("not_found", { message: "This organization has no such member." });
}

/** Who ends keys of somebody, and by which request. */
export interface EndingBy {
  actor: Actor;
  /** Undefined: an operator's command does. */
  request: Pick<ConsoleCall["request"], "ip" | "headers"> | undefined;
}

/**
 * Ends keys of a user in the actor's organization whose membership has changed already: none can be made meanwhile. Gives
 * the ids that it ended.
 */
export async function endKeysOf(
  { actor, request }: EndingBy,
  user: string,
  ending: EndedKeys,
  { accounts, auditedKeys, log, now }: Pick<MemberKeyDeps, "accounts" | "auditedKeys" | "log" | "now">,
): Promise<string[]> {
  const { id: organization } = actor.organization;
  const at = now();
  const theirs = [...(await keysOf(accounts, organization)).values()].filter(
    (key) => isKnownTo(key, user) && isInUse(key, at) && isEnded[ending](key),
  );
  const ids = theirs.map(({ id }) => id);
  const entryOf = revocationBy(entriesBy(actor, request, now));
  const ended = await auditedKeys.revoke(organization, ids, at, entryOf);
  // A restore to an earlier instant has them as valid (infra/operator/restore.md).
  for (const { id } of ended) log("info", "key_revoked", { organization, key: id });
  return ended.map(({ id }) => id);
}
