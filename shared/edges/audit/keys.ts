/** The audit of keys: both records of a key are the same, counts are no lower than the keys in use, and calls fit their keys. */

import { limits } from "../../base/limits.ts";
import { timeOf } from "../../base/platform/id.ts";
import type { KeyRecord, Organization } from "../../books/accounts/account.ts";
import { isKept } from "../../books/accounts/key-state.ts";
import { organizationAccount } from "../../books/meters/levels.ts";
import type { Meter } from "../../books/meters/meter.ts";
import type { AuditEntry } from "../../people/identity/audit.ts";
import { differences, finding, found, type KeptItem, type Sorted } from "./kept.ts";
import { wrongProjects } from "./projects.ts";
import type { Finding } from "./rollups.ts";

/** The kinds of items that organizations and keys are kept in, as `ties/keys.ts` names them. */
export const keyKinds = [
  "organization",
  "key, by hash",
  "key, by organization",
  "keys in use, of an organization and of a member",
  "project",
] as const;

/** Keys that are older may be from before there were counts. */
const countedSince = Date.UTC(2026, 10, 24);

interface Books {
  organizations: readonly Organization[];
  keys: Sorted;
  items: Sorted;
  now: number;
}

/** The keys among items. */
export function keysIn(keys: Sorted): KeyRecord[] {
  return keys.of("key, by organization").map(({ fields }) => fields as unknown as KeyRecord);
}

/** A key says the same by its hash and by its organization, as long as there is one of each. */
export function keysAgree({ organizations, keys, items, now }: Books): Finding {
  const own = keys.of("key, by organization");
  const byHash = new Map(
    keys.of("key, by hash").map(({ pk, fields }) => [pk.slice("K#".length), fields ?? {}]),
  );
  const known = new Map(organizations.map((organization) => [organization.id, organization]));
  const hashes = new Set(keysIn(keys).map(({ hash }) => hash));
  const ids = new Set(keysIn(keys).map(({ id }) => id));
  const gaps = [
    ...keys.unreadable,
    ...own.flatMap((item) => found(`${item.pk} ${item.sk}`, () => wrongKey(item, byHash, known, now))),
    ...[...byHash].flatMap(([hash, fields]) => strayHash(hash, fields, byHash, { hashes, ids })),
    ...miscounted(keys, now),
    ...wrongProjects(organizations, keys.of("project")),
    ...untold(keysIn(keys), items),
  ];
  return finding(gaps, `${own.length} keys: the same by hash and by organization`);
}

function wrongKey(
  { pk, sk, fields = {} }: KeptItem,
  byHash: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  organizations: ReadonlyMap<string, Organization>,
  now: number,
): string[] {
  const key = fields as unknown as KeyRecord;
  const other = byHash.get(key.hash);
  const owner = organizations.get(key.organization);
  const id = sk.slice("K#".length);
  const names = new Set([...Object.keys(fields), ...Object.keys(other ?? {})]);
  const must = Object.fromEntries([...names].map((name) => [name, other?.[name]]));
  return [
    ...differences(fields, { organization: pk.slice("O#".length), id, created_at: timeOf(id) }),
    ...(other
      ? differences(fields, must).map((each) => `${each} as by its hash`)
      : ["is not there by its hash"]),
    ...(key.old && key.old.until > now && byHash.get(key.old.hash)?.rotated === undefined
      ? ["has an old secret that is not there by its hash"]
      : []),
    ...(owner ? [] : [`is of ${key.organization}, which is not there`]),
  ];
}

/** A record by hash has its key, leads to the hash that the key has by now, or is what an old secret has left. */
function strayHash(
  hash: string,
  fields: Readonly<Record<string, unknown>>,
  byHash: ReadonlyMap<string, unknown>,
  { hashes, ids }: Record<"hashes" | "ids", ReadonlySet<string>>,
): string[] {
  const { moved, rotated } = fields;
  if (rotated !== undefined)
    return ids.has((rotated as Pick<KeyRecord, "id">).id) ? [] : [`K#${hash} was of a key that is not there`];
  if (typeof moved === "string")
    return byHash.has(moved) ? [] : [`K#${hash} leads to a key that is not there`];
  if (fields.hash !== hash) return [`K#${hash} has the hash ${String(fields.hash)}`];
  return hashes.has(hash) ? [] : [`K#${hash} is of a key that its organization does not have`];
}

/** A count is never lower than the keys that are in use. Only keys from before there were counts have none. */
function miscounted(keys: Sorted, now: number): string[] {
  const counts = new Map(
    keys
      .of("keys in use, of an organization and of a member")
      .map(({ pk, sk, fields }) => [`${pk} ${sk}`, fields ?? {}]),
  );
  const living = new Map<string, number>();
  const wanted = new Set<string>();
  for (const key of keysIn(keys)) {
    const own = [
      `O#${key.organization} N`,
      ...(key.created_by === undefined ? [] : [`O#${key.organization} N#${key.created_by}`]),
    ];
    for (const name of own) {
      if (isKept(key, now)) living.set(name, (living.get(name) ?? 0) + 1);
      if (key.created_at >= countedSince) wanted.add(name);
    }
  }
  return [
    ...[...wanted]
      .filter((name) => !counts.has(name))
      .map((name) => `${name}: the count of keys in use is not there`),
    ...[...counts].flatMap(([name, { keys: count, changes }]) => {
      const used = living.get(name) ?? 0;
      const isLow = count !== undefined && !(Number(count) >= used);
      return [
        ...(isLow ? [`${name} has the keys ${String(count)}, and ${used} are in use`] : []),
        ...(Number(changes) >= 1 ? [] : [`${name} has the changes ${String(changes)}`]),
      ];
    }),
  ];
}

/** The audit log says who made a key and that it was revoked. */
function untold(keys: readonly KeyRecord[], items: Sorted): string[] {
  const lines = items.of("audit log").map(({ fields }) => fields as unknown as AuditEntry);
  const byId = new Map(keys.map((key) => [key.id, key]));
  return lines.flatMap(({ kind, subject, actor, organization }) => {
    if (kind !== "key_created" && kind !== "key_revoked") return [];
    const key = byId.get(subject);
    if (!key) return [`${subject} is in the audit log of ${organization}, and not there`];
    if (kind === "key_revoked")
      return key.status === "revoked" ? [] : [`${subject} was revoked, and is ${key.status}`];
    const isOfMember = actor.startsWith("usr_");
    return isOfMember && key.created_by !== actor
      ? [`${subject} has the created_by ${key.created_by ?? "none"}, not ${actor}`]
      : [];
  });
}

/** A revocation or a freeze stands on the meters too, and what is marked there is so in the records. */
export function marksAgree(
  { organizations, keys, now }: Pick<Books, "organizations" | "keys" | "now">,
  meters: readonly Pick<Meter, "meter" | "shard" | "granted" | "used" | "periods" | "frozen" | "ended">[],
): string[] {
  const byMeter = new Map(
    organizations.flatMap((owner) =>
      [owner.wallet, owner.subscription].flatMap((each) => (each ? [[each.meter, owner] as const] : [])),
    ),
  );
  const byId = new Map(keysIn(keys).map((key) => [String(key.id).slice(-26), key]));
  const hour = now - limits.sealGraceSeconds * 1000;
  const strange = organizations.filter(({ status: own }) => own !== "active" && own !== "frozen");
  const wrong = strange.map(({ id, status: own }) => `${id} has the status ${String(own)}`);
  return [
    ...wrong,
    ...meters.flatMap(({ meter, shard, granted, used, periods, frozen, ended }) => {
      const owner = byMeter.get(meter);
      // A sign-up that died has left an empty meter, and no organization yet.
      const isEmpty = granted === 0n && used === 0n && periods.size === 0;
      if (!owner) return isEmpty ? [] : [`${meter}#${shard} is the meter of no organization`];
      const isFrozen = owner.status === "frozen";
      // A shard that takes no calls is marked when it takes some again.
      const isMarked = shard === 0 || frozen;
      return [
        ...(frozen === isFrozen || !isMarked
          ? []
          : [
              `${owner.id} has the status ${owner.status}, and ${meter}#${shard} is ${frozen ? "" : "not "}frozen`,
            ]),
        ...[...ended].flatMap(([revision, at]) => (at > hour ? unended(revision, owner, byId) : [])),
      ];
    }),
  ];
}

/** A revision that is marked as ended is not the last one of the key or of the owner's budgets, or the key is revoked. */
function unended(
  marked: string,
  { id: owner, budgets_revision = 0 }: Organization,
  byId: ReadonlyMap<string, KeyRecord>,
): string[] {
  const [id = "", number = "0"] = marked.split(".");
  if (id === organizationAccount) {
    const isLast = budgets_revision <= Number(number);
    return isLast ? [`the budgets of ${owner} were changed, and are as they were before`] : [];
  }
  const key = byId.get(id);
  if (!key || key.status === "revoked" || (key.revision ?? 0) > Number(number)) return [];
  return [`key_${id} was changed or revoked, and is ${key.status} as it was before`];
}
