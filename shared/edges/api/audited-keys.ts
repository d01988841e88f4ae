/** Changes of keys with their lines in the audit log (people/identity/members.md "Who made a key"). */

import type { HttpRequest } from "../../base/http/message.ts";
import type { ChangedKey, KeyRecord, Principal } from "../../books/accounts/account.ts";
import { defaultsText } from "../../books/accounts/key-defaults.ts";
import { personOf, programName } from "../../books/accounts/key-state.ts";
import { policyText } from "../../books/accounts/policy.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import {
  type Actor,
  type AuditEntry,
  type AuditFacts,
  type AuditKind,
  auditEntry,
} from "../../people/identity/audit.ts";
import type { AuditedKeys } from "../../people/identity/audited-keys.ts";
import { keyLimitNames } from "./key-limits.ts";
import type { KeyDeps } from "./keys.ts";

/** Makes the entry of a change in an organization. */
export type EntryOf = (kind: AuditKind, subject: string, facts: Facts) => AuditEntry;
type Facts = Partial<Record<"before" | "after", AuditFacts>>;

/** The longest `x-forwarded-for` that is kept, in characters. */
const forwardedCharsMax = 200;

/** Entries of what somebody does by a request, or without one. */
export function entriesBy(
  actor: Actor,
  request: Pick<HttpRequest, "ip" | "headers"> | undefined,
  now: () => number,
): EntryOf {
  const ip = request?.ip ?? null;
  const told = request?.headers["x-forwarded-for"]?.replace(/[^\x20-\x7e]/g, "").slice(0, forwardedCharsMax);
  const forwarded = told && told !== ip ? { forwarded_for: told } : {};
  return (kind, subject, facts) => ({
    ...auditEntry(actor, { kind, subject, ...facts }, ip, now()),
    ...forwarded,
  });
}

/** Entries of what an API key does. The key is its own credential. */
export function entriesByKey(
  { key, organization }: Principal,
  request: Pick<HttpRequest, "ip" | "headers">,
  now: () => number,
): EntryOf {
  const { id, name } = key;
  return entriesBy({ user: { id, name }, organization, session: { id } }, request, now);
}

/** The same stores, which write a line of the audit log in the transaction of each change. */
export function withLines<Deps extends Pick<KeyDeps, "accounts">>(
  { auditedKeys, entryOf }: { auditedKeys: AuditedKeys; entryOf: EntryOf },
  deps: Deps,
): Deps {
  return {
    ...deps,
    accounts: {
      ...deps.accounts,
      createKey: (key, more = {}) =>
        auditedKeys.create(key, more, entryOf("key_created", key.id, { after: factsOfNew(key) })),
      changeKey: (organization, id, change) =>
        auditedKeys.change(organization, id, change, (changed) =>
          entryOf(change.kind, id, factsOfChange(changed)),
        ),
      async revokeKey(organization, id, at) {
        const [revoked] = await auditedKeys.revoke(organization, [id], at, revocationBy(entryOf));
        return revoked;
      },
    },
  };
}

/** Makes the entry of a key that is revoked. */
export function revocationBy(entryOf: EntryOf): (key: KeyRecord) => AuditEntry {
  return ({ id, name, last_four }) => entryOf("key_revoked", id, { before: { name, last_four } });
}

/** What a line tells of a change: of which key, and what differs. Never a hash. */
function factsOfChange({ before, after }: ChangedKey): Facts {
  const [was, is] = [factsOf(before), factsOf(after)];
  const differing = Object.keys(is).filter((name) => was[name] !== is[name]);
  const of = (facts: AuditFacts, { name, last_four }: KeyRecord) => ({
    ...{ name, last_four },
    ...Object.fromEntries(differing.map((each) => [each, facts[each] ?? null])),
  });
  return { before: of(was, before), after: of(is, after) };
}

/** All of a key that a change may change, as facts. */
function factsOf(key: KeyRecord): Record<string, AuditFacts[string]> {
  const { limits } = key;
  return {
    project_id: key.project,
    cache: key.cache ?? null,
    defaults: defaultsText(key.defaults),
    policy: policyText(key.policy),
    expires_at: key.expires_at === null ? null : rfc3339(key.expires_at),
    old_secret_expires_at: key.old ? rfc3339(key.old.until) : null,
    status: key.status,
    disabled_by: key.disabled_by ?? null,
    ...Object.fromEntries(keyLimitNames.map((name) => [name, limits?.[name] ?? null])),
  };
}

/** What a line tells of a new key. Its permissions and whom it descends from only where there are any. */
function factsOfNew(key: KeyRecord): AuditFacts {
  const { name, mode, project, last_four, permissions, parent, defaults, policy, program } = key;
  const person = personOf(key);
  return {
    ...{ name, billing_mode: mode, project_id: project, last_four },
    ...(program && { program: programName(program), asked_from: program.ip }),
    ...(permissions.length > 0 && { permissions: permissions.join(" ") }),
    ...(defaults && { defaults: defaultsText(defaults) }),
    ...(policy && { policy: policyText(policy) }),
    ...(parent !== undefined && person !== undefined && { descends_from: person }),
  };
}
