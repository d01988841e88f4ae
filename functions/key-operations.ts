/** What members and API keys change of an organization over the gateway: its keys and its cache, with lines of the audit log. */

import { GatewayError } from "#shared/base/errors.ts";
import { checkBody } from "#shared/base/http/message.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import type { LocalCall } from "#shared/calls/gateway/local-answers.ts";
import { entriesByKey, withLines } from "#shared/edges/api/audited-keys.ts";
import { emptyCache, takeFeedback } from "#shared/edges/api/cache.ts";
import { changeKey, disableKey, enableKey, type KeyAsked, revokeKey } from "#shared/edges/api/key-changes.ts";
import { type KeyRights, rightsOfKey } from "#shared/edges/api/key-rights.ts";
import { rotateKey } from "#shared/edges/api/key-rotation.ts";
import { createKey, listKeys } from "#shared/edges/api/keys.ts";
import {
  changeMemberKey,
  createMemberKey,
  disableMemberKey,
  enableMemberKey,
  listMemberKeys,
  type MemberKeyDeps,
  type MemberRequest,
  revokeMemberKey,
  rotateMemberKey,
} from "#shared/edges/console/operations/organization-keys.ts";
import type { GatewayAnswers } from "#shared/edges/openapi/route-types.ts";
import type { Caller } from "#shared/people/identity/caller.ts";

type Operation =
  | "create_key"
  | "list_keys"
  | "change_key"
  | "revoke_key"
  | "rotate_key"
  | "disable_key"
  | "enable_key"
  | "empty_cache"
  | "take_feedback";

/** These operations over the gateway's dependencies. */
export function keyOperations(deps: Deps): Pick<GatewayAnswers, Operation> {
  const keys = {
    accounts: deps.accounts,
    meters: deps.meters,
    peppers: deps.secrets.peppers,
    plan: deps.catalog.plan,
    log: deps.log,
    now: deps.now,
  };
  /** The same, with what only a call with a session needs. */
  const memberKeys = async (): Promise<MemberKeyDeps> => {
    if (!deps.sessions) throw new Error("a member calls, and there are no sessions");
    const { members, auditedKeys } = await deps.sessions();
    return { ...keys, members, auditedKeys };
  };
  /** What an API key manages keys with. A function that knows no accounts has no people and no audit log. */
  const byKey = async (call: LocalCall) => {
    const caller = callerOf(call);
    const audited = await deps.sessions?.();
    const entryOf = entriesByKey(caller, call.request, deps.now);
    const rights = await rightsOfKey(caller, audited?.auditedKeys);
    return {
      rights,
      audited: audited && { ...audited, entryOf },
      keys: audited ? withLines({ auditedKeys: audited.auditedKeys, entryOf }, keys) : keys,
    };
  };
  /** Does something with the key that the path names, as a member or as an API key asks for it. */
  const onKey = async <ToMember, ToKey>(
    call: LocalCall,
    byMember: (asked: ReturnType<typeof askedBy>, deps: MemberKeyDeps) => Promise<ToMember>,
    byApiKey: (asked: KeyAsked, rights: KeyRights, deps: typeof keys) => Promise<ToKey>,
  ): Promise<ToMember | ToKey> => {
    checkBody(call.request);
    if (call.member) return await byMember(askedBy(call.member, call), await memberKeys());
    const by = await byKey(call);
    return await byApiKey({ request: call.request, id: call.parameter }, by.rights, by.keys);
  };
  return {
    create_key: async (call) => {
      checkBody(call.request);
      if (call.member) return await createMemberKey(askedBy(call.member, call), await memberKeys());
      const by = await byKey(call);
      return await createKey(call.request, by.rights, by.keys);
    },
    list_keys: async (call) =>
      call.member
        ? await listMemberKeys(askedBy(call.member, call), await memberKeys())
        : await listKeys(call.request, (await byKey(call)).rights, keys),
    change_key: async (call) => await onKey(call, changeMemberKey, changeKey),
    revoke_key: async (call) => await onKey(call, revokeMemberKey, revokeKey),
    rotate_key: async (call) => await onKey(call, rotateMemberKey, rotateKey),
    disable_key: async (call) => await onKey(call, disableMemberKey, disableKey),
    enable_key: async (call) => await onKey(call, enableMemberKey, enableKey),
    empty_cache: async (call) => {
      const { rights, audited } = await byKey(call);
      return await emptyCache(rights, { ...deps, audited });
    },
    take_feedback: async (call) => {
      checkBody(call.request);
      const caller = callerOf(call);
      const audited = async () => {
        const sessions = await deps.sessions?.();
        return sessions && { ...sessions, entryOf: entriesByKey(caller, call.request, deps.now) };
      };
      return await takeFeedback(call.request, caller, { ...deps, audited });
    },
  };
}

/** Who calls with an API key. Throws `not_authenticated` where nobody does. */
export function callerOf({ principal }: LocalCall): Principal {
  if (!principal) throw new GatewayError("not_authenticated");
  return principal;
}

function askedBy(caller: Caller, { request, parameter }: LocalCall): MemberRequest & { id: string } {
  return { request, caller, id: parameter };
}
