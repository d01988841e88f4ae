/** Changes of a key that is there, and its end (contract §4.9). Each acts on the key's next call. */

import { GatewayError } from "../../base/errors.ts";
import { type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import type { Fields } from "../../base/json/fields.ts";
import type { Log } from "../../base/platform/log.ts";
import {
  type Accounts,
  type KeyChange,
  type KeyEnabler,
  type KeyRecord,
  keyEnablers,
} from "../../books/accounts/account.ts";
import type { Meters } from "../../books/meters/meter.ts";
import { checkKeyLimits } from "./key-limits.ts";
import { checkTightened } from "./key-policy.ts";
import { changedFields, readKeyChange } from "./key-request.ts";
import { checkNotArchived, checkProjectMember, isOwn, type KeyRights, managesAll } from "./key-rights.ts";
import { checkGrants, type KeyDeps, type NewKeyDeps, type ShownKey, showKeys } from "./keys.ts";
import { isName } from "./report-parameters.ts";

/** A request about the key with this id. */
export interface KeyAsked {
  request: HttpRequest;
  id: string;
}

type Told = { meters: Pick<Meters, "budgets"> };
export type ChangeDeps = KeyDeps & { log: Log };

/** `PATCH /api/v1/keys/:id`. */
export async function changeKey(asked: KeyAsked, rights: KeyRights, deps: NewKeyDeps & Told) {
  return await shown(await patchKey(asked, rights, deps), rights, deps);
}

/** `POST /api/v1/keys/:id/disable`. */
export async function disableKey({ id }: Pick<KeyAsked, "id">, rights: KeyRights, deps: ChangeDeps & Told) {
  return await shown(await switchOff(id, rights, deps), rights, deps);
}

/** `POST /api/v1/keys/:id/enable`. */
export async function enableKey({ id }: Pick<KeyAsked, "id">, rights: KeyRights, deps: ChangeDeps & Told) {
  return await shown(await switchOn(id, rights, deps), rights, deps);
}

async function shown(key: KeyRecord, { organization }: KeyRights, deps: ChangeDeps & Told) {
  const [object] = await showKeys(organization, [key], deps);
  return jsonReply(object as ShownKey);
}

/**
 * Changes what a request names. Throws `invalid_request`, `permission_denied` for another end of a key that the caller
 * could not make and for a looser policy by a key, and `key_not_found` beyond the rights.
 */
export async function patchKey(
  { request, id }: KeyAsked,
  rights: KeyRights,
  deps: NewKeyDeps,
): Promise<KeyRecord> {
  const body = readJsonObject(request.body);
  refuseDuplicates(body.members, new Set(Object.keys(body.value)));
  // A body that fits no key is told before anybody looks for this one.
  changedFields(body.value);
  await checkMove(id, body.value, rights, deps);
  const of = (key: KeyRecord) => {
    if ("expires_at" in body.value) checkGrants(key, rights);
    const after = patched(key, body.value, rights, deps);
    checkTightened(key, after, rights);
    return after;
  };
  return await change(id, rights, { kind: "key_changed", of }, deps);
}

/** Throws `permission_denied` where a key of theirs would come to a project that is not. */
async function checkMove(
  id: string,
  { project_id }: Fields,
  rights: KeyRights,
  { accounts }: Pick<KeyDeps, "accounts">,
): Promise<void> {
  const { organization } = rights;
  // What is no name of a project is told where the body is read.
  if (managesAll(rights) || !organization.projects || typeof project_id !== "string" || !isName(project_id))
    return;
  const key = await accounts.key(organization.id, id);
  if (key && isOwn(key, rights) && key.project !== project_id)
    await checkProjectMember(project_id, rights, accounts);
}

/** The key that the fields of a change lead to. Throws `invalid_request`, also for limits beyond the plan's. */
export function patched(
  key: KeyRecord,
  fields: Fields,
  { organization }: Pick<KeyRights, "organization">,
  { plan, now }: Pick<NewKeyDeps, "plan" | "now">,
): KeyRecord {
  const after = readKeyChange(fields, key, now());
  if (after.project !== key.project) checkNotArchived(after.project, organization);
  if ("limits" in fields) checkKeyLimits(after, organization, plan, now());
  return after;
}

/** Disables a key for the very next request. Throws `key_not_found` where it is revoked, or beyond these rights. */
export async function switchOff(id: string, rights: KeyRights, deps: ChangeDeps): Promise<KeyRecord> {
  const of = (key: KeyRecord) => disabled(key, isOwn(key, rights) ? "maker" : "manager");
  return await change(id, rights, { kind: "key_disabled", of }, deps);
}

/** The key, disabled. Where it was so before, nobody may enable it who could not before. */
export function disabled(key: KeyRecord, by: KeyEnabler): KeyRecord {
  const ranks = [by, key.disabled_by ?? by].map((each) => keyEnablers.indexOf(each));
  return { ...key, status: "disabled", disabled_by: keyEnablers[Math.max(...ranks)] ?? by };
}

/** Enables a key again. Throws `permission_denied` for who may not, and `key_not_found` as above. */
export async function switchOn(id: string, rights: KeyRights, deps: ChangeDeps): Promise<KeyRecord> {
  const of = (key: KeyRecord) => {
    const rank = keyEnablers.indexOf(managesAll(rights) ? "manager" : "maker");
    if (keyEnablers.indexOf(key.disabled_by ?? "maker") > rank) {
      const by = key.disabled_by === "operator" ? "the operator of this gateway" : "who manages all keys";
      throw new GatewayError("permission_denied", { message: `Only ${by} may enable this key again.` });
    }
    checkGrants(key, rights);
    return enabled(key);
  };
  return await change(id, rights, { kind: "key_enabled", of }, deps);
}

/** The key, enabled. */
export function enabled({ disabled_by: _, ...key }: KeyRecord): KeyRecord {
  return { ...key, status: "active" };
}

/** Makes a change where these are rights to the key, and gives the key after it. */
export async function change(
  id: string,
  rights: KeyRights,
  wanted: Omit<KeyChange, "at">,
  { accounts, now, log }: ChangeDeps,
): Promise<KeyRecord> {
  const { organization } = rights;
  const changed = (await isTheirs(id, rights, accounts))
    ? await accounts.changeKey(organization.id, id, { ...wanted, at: now() })
    : undefined;
  if (!changed) throw new GatewayError("key_not_found");
  // A restore to an earlier instant has the key as it was. This line tells it (infra/operator/restore.md).
  log("info", wanted.kind, { organization: organization.id, key: id });
  return changed.after;
}

/** Whether these are rights to a key. Nobody else becomes the maker of a key, so it may be read before. */
async function isTheirs(id: string, rights: KeyRights, accounts: Pick<Accounts, "key">): Promise<boolean> {
  return managesAll(rights) || isOwn(await accounts.key(rights.organization.id, id), rights);
}

/** A key to which these are rights. Throws `key_not_found` beyond them. */
export async function theirKey(
  id: string,
  rights: KeyRights,
  accounts: Pick<Accounts, "key">,
): Promise<KeyRecord> {
  const key = await accounts.key(rights.organization.id, id);
  if (!key || !(managesAll(rights) || isOwn(key, rights))) throw new GatewayError("key_not_found");
  return key;
}

/** `DELETE /api/v1/keys/:id`. */
export async function revokeKey({ id }: Pick<KeyAsked, "id">, rights: KeyRights, deps: ChangeDeps) {
  await endKey(id, rights, deps);
  return jsonReply({ id, object: "api_key", deleted: true });
}

/** Revokes a key for the very next request. Throws `key_not_found` where it is revoked, or beyond these rights. */
export async function endKey(
  id: string,
  rights: KeyRights,
  { accounts, now, log }: ChangeDeps,
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
