/**
 * Keys as members manage them (identity/members.md "Keys"): what the gateway's routes do for API keys, with who made a
 * key, and with a line in the audit log.
 */

import type { KeyRecord } from "../../accounts/account.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../http/message.ts";
import { type AuditedChange, auditEntry } from "../../identity/audit.ts";
import type { Caller } from "../../identity/caller.ts";
import type { MemberKeys } from "../../identity/member-keys.ts";
import type { Members } from "../../identity/members.ts";
import type { User } from "../../identity/user.ts";
import type { Meters } from "../../meters/meter.ts";
import { rightsOfMember } from "../api/key-rights.ts";
import { endKey, keyObject, makeKey, type NewKeyDeps, pageOfKeys, showKeys } from "../api/keys.ts";

export interface MemberKeyDeps extends NewKeyDeps {
  meters: Pick<Meters, "budgets">;
  members: Pick<Members, "users">;
  memberKeys: MemberKeys;
}

/** A request of a member. Only the console's function knows the address that it came from. */
export interface MemberRequest {
  request: HttpRequest & { ip?: string };
  caller: Caller;
}

/** `POST /api/v1/keys`. The answer has the key's secret, which is shown once. */
export async function createMemberKey(asked: MemberRequest, deps: MemberKeyDeps): Promise<HttpReply> {
  const { request, caller } = asked;
  const { key, secret } = await makeKey(request, rightsOfMember(caller), withLines(asked, deps));
  return jsonReply({ ...keyObject(key, deps.now(), { secret }), created_by: creatorOf(key, [caller.user]) });
}

/** `GET /api/v1/keys?limit=&after=`: all keys, or the member's own. */
export async function listMemberKeys(
  { request, caller }: MemberRequest,
  deps: MemberKeyDeps,
): Promise<HttpReply> {
  const { keys, more, last } = await pageOfKeys(request, rightsOfMember(caller), deps);
  const [shown, users] = await Promise.all([
    showKeys(caller.organization, keys, deps),
    deps.members.users(keys.flatMap(({ created_by }) => created_by ?? [])),
  ]);
  const data = keys.map((key, at) => ({ ...shown[at], created_by: creatorOf(key, [...users.values()]) }));
  return jsonReply({ object: "list", data, has_more: more, last_id: last });
}

/** `DELETE /api/v1/keys/{id}`. */
export async function revokeMemberKey(
  asked: MemberRequest & { id: string },
  deps: MemberKeyDeps,
): Promise<HttpReply> {
  const { id } = await endKey(asked.id, rightsOfMember(asked.caller), withLines(asked, deps));
  return jsonReply({ id, object: "api_key", deleted: true });
}

/** The same stores, which write a line of the audit log in the transaction of each change. */
function withLines({ request, caller }: MemberRequest, deps: MemberKeyDeps): MemberKeyDeps {
  const { accounts, memberKeys, now } = deps;
  const entryOf = (audited: AuditedChange) => auditEntry(caller, audited, request.ip ?? null, now());
  return {
    ...deps,
    accounts: {
      ...accounts,
      createKey: (key, more = {}) => {
        const { id: subject, name, mode, project, last_four } = key;
        const after = { name, billing_mode: mode, project_id: project, last_four };
        return memberKeys.create(key, more, entryOf({ kind: "key_created", subject, after }));
      },
      revokeKey: (organization, subject, at) =>
        memberKeys.revoke(organization, subject, at, ({ name, last_four }) =>
          entryOf({ kind: "key_revoked", subject, before: { name, last_four } }),
        ),
    },
  };
}

/** Who made a key, as the interface shows it: null for an operator or another key. */
function creatorOf({ created_by: id }: KeyRecord, users: Pick<User, "id" | "name">[]): object | null {
  return id === undefined ? null : { id, name: users.find((user) => user.id === id)?.name ?? "" };
}
