/** What operators do with keys that are there: refuse them for a time, or for good. Each change leaves its line. */
import { GatewayError } from "../../base/errors.ts";
import type { Accounts, KeyChange, KeyRecord, Organization } from "../../books/accounts/account.ts";
import { type By, lineBy } from "../../people/admin/by.ts";
import type { AuditedKeys } from "../../people/identity/audited-keys.ts";
import { type EntryOf, withLines } from "../api/audited-keys.ts";
import { disabled, enabled } from "../api/key-changes.ts";
import { findKey } from "./account-lists.ts";

export interface KeyActDeps {
  accounts: Pick<Accounts, "key" | "keys" | "project" | "changeKey" | "createKey" | "revokeKey">;
  auditedKeys: AuditedKeys;
  now: () => number;
}

/** What becomes of a key: it is refused until it is enabled, or for good. */
export type KeyAct = "disable" | "enable" | "revoke";

/** Of a key that was revoked nothing becomes any more. */
const changes: Record<Exclude<KeyAct, "revoke">, Omit<KeyChange, "at">> = {
  disable: { kind: "key_disabled", of: (key) => disabled(key, "operator") },
  enable: { kind: "key_enabled", of: enabled },
};

/** Acts on a key of an organization, and gives the key after it. Repeating a revocation changes nothing. Throws `key_not_found`. */
export async function actOnKey(
  act: KeyAct,
  { organization, id, by }: { organization: Organization; id: string; by: By },
  deps: KeyActDeps,
): Promise<KeyRecord> {
  const { accounts } = withLines(
    { auditedKeys: deps.auditedKeys, entryOf: entriesOf(organization, by, deps) },
    deps,
  );
  const at = deps.now();
  if (act === "revoke") {
    const revoked = await accounts.revokeKey(organization.id, id, at);
    return revoked ?? (await keyOf(organization, id, deps));
  }
  const changed = await accounts.changeKey(organization.id, id, { ...changes[act], at });
  if (!changed) throw noKey(organization, `${id} that is in use`);
  return changed.after;
}

/** What acting on a key would do: the act itself, or nothing. Throws as it would. */
export async function foreseeKeyAct(
  act: KeyAct,
  { organization, id }: { organization: Organization; id: string },
  deps: Pick<KeyActDeps, "accounts">,
): Promise<{ would: KeyAct | "nothing"; key: KeyRecord }> {
  const key = await keyOf(organization, id, deps);
  if (act === "revoke") return { would: key.status === "revoked" ? "nothing" : act, key };
  if (key.status === "revoked") throw noKey(organization, `${id} that is in use`);
  return { would: act === "enable" && key.status === "active" ? "nothing" : act, key };
}

async function keyOf(
  organization: Organization,
  id: string,
  deps: Pick<KeyActDeps, "accounts">,
): Promise<KeyRecord> {
  const key = await findKey(organization.id, id, deps);
  if (!key) throw noKey(organization, id);
  return key;
}

/** The lines about the keys of an organization that an operator changes. */
function entriesOf({ id }: Organization, by: By, { now }: Pick<KeyActDeps, "now">): EntryOf {
  return (kind, subject, facts) => lineBy(by, id, { kind, subject, ...facts }, now());
}

function noKey({ id }: Organization, key: string): GatewayError {
  return new GatewayError("key_not_found", { message: `the organization ${id} has no key ${key}` });
}
