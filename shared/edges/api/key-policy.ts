/** What a key may make of the policies of other keys and of its own (books/accounts/policies.md "Keys that manage keys"). */

import { GatewayError } from "../../base/errors.ts";
import type { KeyRecord } from "../../books/accounts/account.ts";
import { type Policy, ruleBeyond } from "../../books/accounts/policy.ts";
import type { KeyRights } from "./key-rights.ts";
import { readPolicy } from "./policy-request.ts";

/** A new key with the rules of the key that makes it, where the request does not give others. */
export function policyHandedOn<Wanted extends { policy?: Policy }>(
  wanted: Wanted,
  { key }: Pick<KeyRights, "key">,
): Wanted {
  if (!key?.policy) return wanted;
  // Both together may be larger than a policy may be.
  const policy = readPolicy({ ...key.policy, ...wanted.policy });
  return { ...wanted, ...(policy && { policy }) };
}

/**
 * Throws `permission_denied` where a key would bring another key into the hands of its holder, or keep it there, that may
 * do more than itself. Sessions and operators may do all.
 */
export function checkPolicyHandedOn(policy: Policy | undefined, { key }: Pick<KeyRights, "key">): void {
  if (!key?.policy) return;
  const rule = ruleBeyond(policy, key.policy);
  if (rule === undefined) return;
  const message = `By \`${rule}\` of its policy, the key that asks may do less than this key could. ${whoCan}`;
  throw new GatewayError("permission_denied", { message });
}

/** Throws `permission_denied` where a key would loosen a rule of a policy. Sessions and operators may. */
export function checkTightened(before: KeyRecord, after: KeyRecord, { key }: Pick<KeyRights, "key">): void {
  const rule = key && ruleBeyond(after.policy, before.policy);
  if (rule === undefined) return;
  const message = `A key can only tighten \`${rule}\` of a policy. ${whoCan}`;
  throw new GatewayError("permission_denied", { message, param: `policy.${rule}` });
}

const whoCan = "Who manages keys in the console can allow more.";
