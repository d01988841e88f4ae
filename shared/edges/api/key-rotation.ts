/** Another secret for a key that stays the same key (design §4 "Key management"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../base/errors.ts";
import { type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import { optionalInteger } from "../../base/json/fields.ts";
import { hashApiKey, newApiKey } from "../../base/platform/api-key.ts";
import type { Peppers } from "../../base/platform/pepper.ts";
import type { KeyChange, KeyRecord } from "../../books/accounts/account.ts";
import { isKept, personOf } from "../../books/accounts/key-state.ts";
import { type ChangeDeps, change, type KeyAsked } from "./key-changes.ts";
import { refuseOthers } from "./key-request.ts";
import type { KeyRights } from "./key-rights.ts";
import { checkGrants, newKeyObject } from "./keys.ts";

/** `POST /api/v1/keys/:id/rotate`. The answer has the new secret, which is shown once. */
export async function rotateKey(asked: KeyAsked, rights: KeyRights, deps: ChangeDeps) {
  const { key, secret } = await rotateSecret(asked, rights, deps);
  return jsonReply(newKeyObject(key, secret, deps.now()));
}

/**
 * Gives a key another secret, and lets the old one stay in force for as long as the request says. Throws
 * `invalid_request`, also for a key that has expired, `key_not_found` beyond the rights, and `permission_denied` for a key
 * that the caller could not make.
 */
export async function rotateSecret(
  { request, id }: KeyAsked,
  rights: KeyRights,
  deps: ChangeDeps,
): Promise<{ key: KeyRecord; secret: string }> {
  const overlap = readOverlap(request);
  const found = await deps.accounts.key(rights.organization.id, id);
  if (!found) throw new GatewayError("key_not_found");
  const shown_to = personBehind(rights);
  const made = newApiKey(found.mode);
  const rotation = rotationOf(made, { overlap, shown_to }, await deps.peppers(), deps.now);
  const of = (key: KeyRecord) => {
    checkRotation(key, rights);
    return rotation.of(key);
  };
  const key = await change(id, rights, { ...rotation.change, of }, deps);
  return { key, secret: made.secret };
}

/** Seconds for which the old secret stays in force. A request without a body says none. */
function readOverlap({ body }: HttpRequest): number {
  if (body.length === 0) return 0;
  const { members, value } = readJsonObject(body);
  refuseDuplicates(members, new Set(Object.keys(value)));
  refuseOthers(value, new Set(["overlap_seconds"]));
  return optionalInteger(value, "overlap_seconds", 0, consoleLimits.secretOverlapSecondsMax) ?? 0;
}

/** The person who is shown a secret: the member who asks, or whom the key that asks descends from. */
function personBehind({ member, key }: KeyRights): string | undefined {
  return member?.id ?? (key && personOf(key));
}

/**
 * Throws `permission_denied` where the caller would learn the secret of a key that manages keys and descends from somebody
 * else: they would keep it when they go. A key may always rotate itself.
 */
function checkRotation(key: KeyRecord, rights: KeyRights): void {
  if (rights.key?.id === key.id) return;
  checkGrants(key, rights);
  const person = personBehind(rights);
  if (!key.permissions.includes("manage_keys") || (person !== undefined && person === personOf(key))) return;
  const who = "A key with the permission manage_keys is rotated by itself or by whom it descends from";
  throw new GatewayError("permission_denied", { message: `${who}. Make another key, and revoke this one.` });
}

/** The change that brings a new secret in. */
interface SecretChange {
  change: Pick<KeyChange, "kind" | "previous">;
  of: KeyChange["of"];
}

/** How a key gets another secret. */
interface SecretRotation {
  /** Seconds for which the old one stays in force. */
  overlap: number;
  shown_to?: string | undefined;
  /** Whether the program asks whose key it is. Nobody else gives that key another secret. */
  isByProgram?: true;
}

/** The change that gives a key this secret. It throws `invalid_request` for a key that has expired. */
export function rotationOf(
  { secret, last_four }: ReturnType<typeof newApiKey>,
  { overlap, shown_to, isByProgram }: SecretRotation,
  { current, previous }: Peppers,
  now: () => number,
): SecretChange {
  const at = now();
  const made = hashApiKey(current.value, secret);
  const of = (record: KeyRecord): KeyRecord => {
    // A change whose first answer was lost finds its own secret. The old one must stay what it is.
    if (record.hash === made) return record;
    const { hash, hash_version, shown_to: before, old: _, ...key } = record;
    if (key.program && !isByProgram)
      throw invalidRequest("Only the program that is signed in renews this key.");
    if (!isKept(key, at)) throw invalidRequest("The key has expired. Make another one.");
    const old = {
      ...{ hash, until: at + overlap * 1000 },
      ...(hash_version !== undefined && { hash_version }),
      ...(before !== undefined && { shown_to: before }),
    };
    return {
      ...key,
      hash: made,
      ...(current.version > 1 && { hash_version: current.version }),
      ...(shown_to !== undefined && shown_to !== personOf(key) && { shown_to }),
      ...(overlap > 0 && { old }),
      last_four,
    };
  };
  const before = previous && hashApiKey(previous.value, secret);
  return {
    change: { kind: "key_rotated", ...(before !== undefined && { previous: before }) },
    of,
  };
}
