/** Keys over HTTP: disable, enable, revoke, for whoever supports customers (edges/admin/README.md "Routes"). */
import type { HttpReply } from "../../../base/http/message.ts";
import type { Accounts } from "../../../books/accounts/account.ts";
import { keyObject } from "../../api/keys.ts";
import { actOnKey, foreseeKeyAct, type KeyAct, type KeyActDeps } from "../../operator/keys.ts";
import type { AdminCall } from "../call.ts";
import type { OnceAdminDeps } from "./once.ts";
import { answerWrite, organizationAt } from "./request.ts";

export interface AdminKeyDeps extends KeyActDeps, OnceAdminDeps {
  accounts: KeyActDeps["accounts"] & Pick<Accounts, "organization">;
  now: () => number;
}

/** What the log calls an act: a restore to an earlier instant has the key as it was (infra/operator/restore.md). */
const told = { disable: "key_disabled", enable: "key_enabled", revoke: "key_revoked" } as const;

/** `POST /organizations/{id}/keys/{key}/{disable, enable or revoke}`: as `key disable`, `key enable`, `key revoke`. */
export async function changeKeyBy(act: KeyAct, call: AdminCall, deps: AdminKeyDeps): Promise<HttpReply> {
  const organization = await organizationAt(call, deps);
  const of = { organization, id: call.parameters.key ?? "" };
  return await answerWrite(
    call,
    [],
    {
      foresee: async () => {
        const { would, key } = await foreseeKeyAct(act, of, deps);
        return { would, key: keyObject(key, deps.now()) };
      },
      act: async ({ reason }) => {
        const key = await actOnKey(act, { ...of, by: { token: call.token, reason } }, deps);
        deps.log("info", told[act], { organization: organization.id, key: key.id });
        return { status: 200, body: keyObject(key, deps.now()) };
      },
    },
    deps,
  );
}
