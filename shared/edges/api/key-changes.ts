/** Changes of a key that is there: its defaults, and its end (contract §4.9). */

import { GatewayError } from "../../base/errors.ts";
import { type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import type { Log } from "../../base/platform/log.ts";
import type { Accounts, KeyRecord } from "../../books/accounts/account.ts";
import type { KeyDefaults } from "../../books/accounts/key-defaults.ts";
import type { Meters } from "../../books/meters/meter.ts";
import { readKeyChange } from "./key-request.ts";
import { isOwn, type KeyRights, managesAll } from "./key-rights.ts";
import { type KeyDeps, type ShownKey, showKeys } from "./keys.ts";

/** `PATCH /api/v1/keys/:id`. */
export async function changeKey(
  request: HttpRequest,
  id: string,
  rights: KeyRights,
  deps: KeyDeps & { meters: Pick<Meters, "budgets"> },
) {
  const changed = await replaceDefaults(request, id, rights, deps);
  const [shown] = await showKeys(rights.organization, [changed], deps);
  return jsonReply(shown as ShownKey);
}

/** A key gets new defaults within `keyCacheSeconds`. Throws `invalid_request`, and `key_not_found` beyond the rights. */
export async function replaceDefaults(
  request: HttpRequest,
  id: string,
  rights: KeyRights,
  { accounts }: Pick<KeyDeps, "accounts">,
): Promise<KeyRecord> {
  const { organization } = rights;
  const body = readJsonObject(request.body);
  refuseDuplicates(body.members, new Set(Object.keys(body.value)));
  const defaults = readKeyChange(body.value);
  const before = (await isTheirs(id, rights, accounts))
    ? await accounts.changeKey(organization.id, id, defaults)
    : undefined;
  if (!before) throw new GatewayError("key_not_found");
  return withDefaults(before, defaults);
}

/** A key with these defaults in place of its own. */
export function withDefaults(
  { defaults: _, ...key }: KeyRecord,
  defaults: KeyDefaults | undefined,
): KeyRecord {
  return { ...key, ...(defaults && { defaults }) };
}

/** Whether these are rights to a key. Nobody else becomes the maker of a key, so it may be read before. */
async function isTheirs(id: string, rights: KeyRights, accounts: Pick<Accounts, "key">): Promise<boolean> {
  return managesAll(rights) || isOwn(await accounts.key(rights.organization.id, id), rights);
}

/** `DELETE /api/v1/keys/:id`. */
export async function revokeKey(id: string, rights: KeyRights, deps: KeyDeps & { log: Log }) {
  await endKey(id, rights, deps);
  return jsonReply({ id, object: "api_key", deleted: true });
}

/** Revokes a key for the very next request. Throws `key_not_found` where it is revoked, or beyond these rights. */
export async function endKey(
  id: string,
  rights: KeyRights,
  { accounts, now, log }: KeyDeps & { log: Log },
): Promise<KeyRecord> {
  const { organization } = rights;
  const revoked = (await isTheirs(id, rights, accounts))
    ? await accounts.revokeKey(organization.id, id, now())
    : undefined;
  if (!revoked) throw new GatewayError("key_not_found");
  // Tables that are restored to an earlier instant have the key as valid. This line tells it
  // (infra/operator/restore.md).
  log("info", "key_revoked", { organization: organization.id, key: id });
  return revoked;
}
