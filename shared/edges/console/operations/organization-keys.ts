/** Keys as members manage them (people/identity/members.md "Keys"), with makers and lines of the audit log. */

import { type HttpRequest, jsonReply } from "../../../base/http/message.ts";
import type { KeyRecord, Organization } from "../../../books/accounts/account.ts";
import { personOf } from "../../../books/accounts/key-state.ts";
import type { Meters } from "../../../books/meters/meter.ts";
import type { AuditedKeys } from "../../../people/identity/audited-keys.ts";
import type { Caller } from "../../../people/identity/caller.ts";
import type { Members } from "../../../people/identity/members.ts";
import type { User } from "../../../people/identity/user.ts";
import { entriesBy, withLines } from "../../api/audited-keys.ts";
import { endKey, patchKey, switchOff, switchOn } from "../../api/key-changes.ts";
import { rightsOfMember } from "../../api/key-rights.ts";
import { rotateSecret } from "../../api/key-rotation.ts";
import {
  makeKey,
  type NewKeyDeps,
  newKeyObject,
  pageOfKeys,
  type ShownKey,
  showKeys,
} from "../../api/keys.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";

export interface MemberKeyDeps extends NewKeyDeps {
  meters: Pick<Meters, "budgets">;
  members: Pick<Members, "users">;
  auditedKeys: AuditedKeys;
}

export interface MemberRequest {
  request: HttpRequest;
  caller: Caller;
}

/** `POST /api/v1/keys`. The answer has the key's secret, which is shown once. */
export async function createMemberKey(asked: MemberRequest, deps: MemberKeyDeps) {
  const { request, caller } = asked;
  const { key, secret } = await makeKey(request, rightsOfMember(caller), linesOf(asked, deps));
  return jsonReply({ ...newKeyObject(key, secret, deps.now()), ...makersOf(key, [caller.user]) });
}

/** `GET /api/v1/keys?limit=&after=`: all keys, or the member's own. */
export async function listMemberKeys({ request, caller }: MemberRequest, deps: MemberKeyDeps) {
  const { keys, more, last } = await pageOfKeys(request, rightsOfMember(caller), deps);
  const data = await showToMembers(caller.organization, keys, deps);
  return jsonReply({ object: "list", data, has_more: more, last_id: last });
}

type MembersKey = ConsoleSchema<"ApiKey">;

/** Keys as members see them: each with its budget, and with who made it. */
export async function showToMembers(
  organization: Organization,
  keys: KeyRecord[],
  deps: Pick<MemberKeyDeps, "meters" | "members" | "now">,
): Promise<MembersKey[]> {
  const [shown, users] = await Promise.all([
    showKeys(organization, keys, deps),
    deps.members.users(keys.flatMap((key) => personOf(key) ?? [])),
  ]);
  return keys.map((key, at) => ({ ...(shown[at] as ShownKey), ...makersOf(key, [...users.values()]) }));
}

/** `PATCH /api/v1/keys/{id}`. */
export async function changeMemberKey(asked: MemberRequest & { id: string }, deps: MemberKeyDeps) {
  const { request, caller, id } = asked;
  const changed = await patchKey({ request, id }, rightsOfMember(caller), linesOf(asked, deps));
  return await showOne(changed, caller, deps);
}

/** `POST /api/v1/keys/{id}/rotate`. The answer has the key's new secret, which is shown once. */
export async function rotateMemberKey(asked: MemberRequest & { id: string }, deps: MemberKeyDeps) {
  const { request, caller, id } = asked;
  const { key, secret } = await rotateSecret({ request, id }, rightsOfMember(caller), linesOf(asked, deps));
  const users = await deps.members.users([personOf(key) ?? []].flat());
  return jsonReply({ ...newKeyObject(key, secret, deps.now()), ...makersOf(key, [...users.values()]) });
}

/** `POST /api/v1/keys/{id}/disable`. */
export async function disableMemberKey(asked: MemberRequest & { id: string }, deps: MemberKeyDeps) {
  const { caller, id } = asked;
  return await showOne(await switchOff(id, rightsOfMember(caller), linesOf(asked, deps)), caller, deps);
}

/** `POST /api/v1/keys/{id}/enable`. */
export async function enableMemberKey(asked: MemberRequest & { id: string }, deps: MemberKeyDeps) {
  const { caller, id } = asked;
  return await showOne(await switchOn(id, rightsOfMember(caller), linesOf(asked, deps)), caller, deps);
}

async function showOne(key: KeyRecord, { organization }: Caller, deps: MemberKeyDeps) {
  const [shown] = await showToMembers(organization, [key], deps);
  return jsonReply(shown as MembersKey);
}

/** `DELETE /api/v1/keys/{id}`. */
export async function revokeMemberKey(asked: MemberRequest & { id: string }, deps: MemberKeyDeps) {
  const { id } = await endKey(asked.id, rightsOfMember(asked.caller), linesOf(asked, deps));
  return jsonReply({ id, object: "api_key", deleted: true });
}

/** The same stores, which write what this member does to the audit log. */
function linesOf({ request, caller }: MemberRequest, deps: MemberKeyDeps): MemberKeyDeps {
  const { auditedKeys, now } = deps;
  return withLines({ auditedKeys, entryOf: entriesBy(caller, request, now) }, deps);
}

/**
 * The user who made a key with a session, or the key that made it and the user at its root. Null where nobody is known.
 */
function makersOf(key: KeyRecord, users: Pick<User, "id" | "name">[]) {
  const named = (id: string | undefined) =>
    id === undefined ? null : { id, name: users.find((user) => user.id === id)?.name ?? "" };
  return {
    created_by: named(key.created_by),
    created_by_key: key.parent ?? null,
    descends_from: named(personOf(key)),
  };
}
