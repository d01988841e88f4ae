/** Organizations' own keys at providers as routes and commands take and show them (calls/upstreams/own-keys.md). */
import { invalidRequest } from "../../base/errors.ts";
import { invalidField } from "../../base/json/fields.ts";
import { ownKeyBounds } from "../../books/accounts/bounds.ts";
import { type OwnKey, type OwnKeyUse, ownKeyUses } from "../../books/accounts/own-key.ts";
import { rfc3339 } from "../../books/billing/instant.ts";

/** A key as it is shown: never the key. `use`, `last_four` and `set_at` are null at a provider without one. */
export function showOwnKey(provider: string, key: OwnKey | undefined) {
  return {
    object: "provider_key" as const,
    provider,
    use: key?.use ?? null,
    last_four: key?.last_four ?? null,
    set_at: key ? rfc3339(key.set_at) : null,
  };
}

/** The key that a field gives. Throws `invalid_request`, which quotes none of it. */
export function readOwnKey(value: unknown): string {
  const { charsMin, charsMax } = ownKeyBounds;
  const key = typeof value === "string" ? value.trim() : "";
  if (key.length < charsMin || key.length > charsMax || !/^[\x21-\x7e]+$/.test(key))
    throw invalidField("key", `the provider's key: ${charsMin} to ${charsMax} characters without spaces`);
  return key;
}

/** When a key shall serve; undefined where the field is absent. Throws `invalid_request`. */
export function readOwnKeyUse(value: unknown): OwnKeyUse | undefined {
  if (value === undefined) return undefined;
  const use = ownKeyUses.find((each) => each === value);
  if (!use) throw invalidField("use", `one of ${ownKeyUses.join(", ")}`);
  return use;
}

/** The keys with this one in the place of an earlier one at its provider. Throws where they would be too many. */
export function withOwnKey(before: readonly OwnKey[], key: OwnKey): OwnKey[] {
  const others = withoutOwnKey(before, key.provider);
  if (others.length >= ownKeyBounds.ofOrganizationMax)
    throw invalidRequest(
      `The organization has ${ownKeyBounds.ofOrganizationMax} provider keys. Remove one first.`,
    );
  return [...others, key].sort((a, b) => (a.provider < b.provider ? -1 : 1));
}

/** The keys without the one at a provider. */
export function withoutOwnKey(before: readonly OwnKey[], provider: string): OwnKey[] {
  return before.filter((key) => key.provider !== provider);
}

/** A key before or after a change, for the audit log. */
export function ownKeyFacts(key: OwnKey | undefined) {
  return { use: key?.use ?? null, last_four: key?.last_four ?? null };
}
