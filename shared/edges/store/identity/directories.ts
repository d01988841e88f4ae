/**
 * Directories of organizations on DynamoDB: token, people, names and groups, all under the organization. No function may
 * delete: a person who is gone has no user name, and a name that is free has no user.
 */
import { createHash } from "node:crypto";
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import type { Membership } from "../../../people/identity/user.ts";
import { scimLimits } from "../../../people/scim/bounds.ts";
import type {
  Directories,
  Directory,
  DirectoryGroups,
  DirectoryPerson,
  DirectoryToken,
  GonePerson,
  PersonChange,
  Standing,
} from "../../../people/scim/directory.ts";
import type { GroupsRead, Provisioned, TakenName } from "../../../people/sign-on/entering.ts";
import {
  accountSorts,
  directoryKey,
  directoryNameKey,
  groupsKey,
  organizationAccountKey,
  provisionedKey,
  userKey,
} from "../dynamodb/account-keys.ts";
import { type Item, readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, absentOrBelow, either, equals, exists, hasRevision } from "../dynamodb/expressions.ts";
import { between, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { attemptChange, eachBetween, getItem } from "../dynamodb/items.ts";
import { check, put, unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";
import { endWrites, foundWrites, membershipWrites, roleWrites } from "./membership.ts";

type AccountTable = Pick<TableNames, "accounts">;

/** The directories of a table of accounts. */
export function createDirectories(aws: Aws, tables: AccountTable): Directories {
  const { accounts: table } = tables;
  return {
    ...tokenStore(aws, tables),

    async groups(organization) {
      const item = await getItem(aws, table, groupsKey(organization));
      const none: DirectoryGroups = { organization, list: [], revision: 0 };
      return { ...none, ...readRecord<Partial<DirectoryGroups>>(item) };
    },

    async changeGroups({ organization, revision }, list, entry) {
      const changed = update({
        table,
        key: groupsKey(organization),
        set: toItem({ list, revision: revision + 1 }),
        when: [hasRevision(revision)],
      });
      return (await unlessContended(aws, [changed, auditWrite(tables, entry)])) === null;
    },

    person: async (organization, user) =>
      personOf(await getItem(aws, table, provisionedKey(organization, user))),

    async gone(organization, user) {
      const item = await getItem(aws, table, provisionedKey(organization, user));
      if (!item || item.user_name) return undefined;
      return { external_id: null, ...readRecord<Partial<GonePerson>>(item) };
    },

    async release({ organization, id, revision }, entry) {
      const released = update({
        table,
        key: provisionedKey(organization, id),
        set: toItem({ linked_issuer: null, released_at: entry.at }),
        add: { revision: 1 },
        when: [equals("revision", toAttribute(revision)), exists("user_name")],
      });
      return (await unlessContended(aws, [released, auditWrite(tables, entry)])) === null;
    },

    async *people(organization) {
      const pk = readText(organizationAccountKey(organization).pk);
      const { provisioned: sort } = accountSorts;
      for await (const item of eachBetween(aws, table, pk, between(sort, `${sort}~`))) {
        const person = personOf(item);
        if (person) yield person;
      }
    },

    async holder(organization, name) {
      const item = await getItem(aws, table, nameKey(organization, name));
      return item?.user && readText(item.user);
    },

    async change(change, token) {
      const counted = countWrites(table, change, token);
      const writes = [...counted, ...personWrites(tables, change)];
      const outcomes = await unlessContended(aws, writes);
      if (!outcomes) return "done";
      const isFull = outcomes !== "contended" && counted.length > 0 && outcomes[0]?.failed === true;
      return isFull ? "full" : "changed";
    },
  };
}

/** The item of a directory itself: its token, its last call, and how people are found. */
function tokenStore(
  aws: Aws,
  tables: AccountTable,
): Pick<Directories, "read" | "setToken" | "setClaim" | "called"> {
  const { accounts: table } = tables;
  return {
    async read(organization) {
      const none: Directory = {
        ...{ organization, token: null, called_at: null },
        ...{ people: 0, external_id_claim: null },
      };
      const item = await getItem(aws, table, directoryKey(organization));
      return { ...none, ...readRecord<Partial<Directory>>(item) };
    },

    async setToken(organization, { before, token }, entry) {
      const changed = update({
        table,
        key: directoryKey(organization),
        set: toItem({ token, token_id: token?.id ?? null }),
        when: [before ? hasToken(before) : isWithoutToken],
      });
      return (await unlessContended(aws, [changed, auditWrite(tables, entry)])) === null;
    },

    async setClaim({ organization, external_id_claim }, claim, entry) {
      const before = equals("external_id_claim", toAttribute(external_id_claim));
      const changed = update({
        table,
        key: directoryKey(organization),
        set: toItem({ external_id_claim: claim }),
        when: [external_id_claim === null ? either(absent("external_id_claim"), before) : before],
      });
      return (await unlessContended(aws, [changed, auditWrite(tables, entry)])) === null;
    },

    async called(organization, token, at) {
      const when = [equals("token_id", toAttribute(token))];
      await attemptChange(aws, {
        table,
        key: directoryKey(organization),
        set: toItem({ called_at: at }),
        when,
      });
    },
  };
}

/** The person of a record; undefined where there is none, or they are gone. */
function personOf(item: Item | undefined): DirectoryPerson | undefined {
  return item?.user_name ? readRecord<DirectoryPerson>(item) : undefined;
}

function nameKey(organization: string, name: string): Item {
  return directoryNameKey(organization, createHash("sha256").update(name).digest("hex"));
}

const isWithoutToken = either(absent("token_id"), equals("token_id", toAttribute(null)));

function hasToken({ id }: DirectoryToken) {
  return equals("token_id", toAttribute(id));
}

/** The condition that groups are as they were read, for a transaction that gives a role by them. */
export function groupsAre(table: string, { organization, revision }: GroupsRead): TransactWriteItem {
  return check(table, groupsKey(organization), [hasRevision(revision)]);
}

/** The condition that nobody has deactivated a user by SCIM, for a transaction that makes them a member. */
export function notOff(table: string, { organization, user }: Membership): TransactWriteItem {
  const isOn = either(absent("user_name"), equals("active", toAttribute(true)));
  return check(table, provisionedKey(organization, user), [isOn]);
}

/** Another person needs room and the token that asked. One who is gone makes room. */
function countWrites(
  table: string,
  { organization, before, after }: PersonChange,
  token: string,
): TransactWriteItem[] {
  if (before && after) return [];
  const key = directoryKey(organization);
  if (!after) return [update({ table, key, add: { people: -1 } })];
  const when = [equals("token_id", toAttribute(token)), absentOrBelow("people", scimLimits.peopleMax)];
  return [update({ table, key, add: { people: 1 }, when })];
}

function personWrites(tables: AccountTable, change: PersonChange): TransactWriteItem[] {
  const { accounts: table } = tables;
  const { organization, user, called, taken, freed, standing, groups, entries } = change;
  return [
    ...recordWrites(table, change),
    ...(user ? [put(table, { ...userKey(user.id), ...toItem(user) }, [absent("pk")])] : []),
    ...(called
      ? [
          update({
            table,
            key: userKey(called.user),
            set: toItem({ name: called.name }),
            when: [exists("pk")],
          }),
        ]
      : []),
    ...takeNames(table, organization, change.after?.id ?? "", taken),
    ...freed.map((name) =>
      update({
        table,
        key: nameKey(organization, name),
        set: toItem({ expires_at: expiryOf(change) }),
        remove: ["user"],
        when: [equals("user", toAttribute(change.before?.id ?? ""))],
      }),
    ),
    ...(standing ? standingWrites(tables, standing, entries[0]?.at ?? 0) : []),
    ...(groups ? [groupsAre(table, groups)] : []),
    ...foundWrites(tables, change),
    ...entries.map((entry) => auditWrite(tables, entry)),
  ];
}

/** A person is written whole where they are as they were read. */
function recordWrites(table: string, change: PersonChange): TransactWriteItem[] {
  const { organization, before, after } = change;
  if (after) {
    const when = before ? equals("revision", toAttribute(before.revision)) : absent("user_name");
    return [put(table, { ...provisionedKey(organization, after.id), ...toItem(after) }, [when])];
  }
  if (!before) return [];
  const { id, external_id, linked_issuer, released_at, revision } = before;
  // Whose name stays theirs is known by their external id, if the provider makes somebody of that name again. A place from
  // before a release must never count again, so a release is kept as well.
  const isKept = linked_issuer !== null || released_at !== undefined;
  const left = {
    ...{ id, external_id },
    ...(released_at !== undefined && { released_at }),
    ...(!isKept && { expires_at: expiryOf(change) }),
  };
  const when = [equals("revision", toAttribute(revision)), exists("user_name")];
  return [put(table, { ...provisionedKey(organization, id), ...toItem(left) }, when)];
}

/** Names for a user, each as it was read: free, or its holder's from before. */
export function takeNames(
  table: string,
  organization: string,
  user: string,
  taken: readonly TakenName[],
): TransactWriteItem[] {
  return taken.map(({ name, from }) => {
    const isAsRead = from === undefined ? absent("user") : equals("user", toAttribute(from));
    return put(table, { ...nameKey(organization, name), ...toItem({ user }) }, [isAsRead]);
  });
}

function standingWrites(tables: AccountTable, standing: Standing, at: number): TransactWriteItem[] {
  if (standing.is === "joined") return membershipWrites(tables, standing.membership);
  if (standing.is === "changed") return roleWrites(tables, standing.before, standing.role, standing.projects);
  return endWrites(tables, standing.before, at);
}

/** The condition that a person is as they were read, and the note of the issuer that signs them in. */
export function linkWrite(
  table: string,
  { organization, id, revision, linked_issuer }: Provisioned,
  issuer: string,
): TransactWriteItem {
  const key = provisionedKey(organization, id);
  const when = [equals("revision", toAttribute(revision)), exists("user_name")];
  if (linked_issuer === issuer) return check(table, key, when);
  return update({ table, key, set: toItem({ linked_issuer: issuer }), add: { revision: 1 }, when });
}

/** When DynamoDB may delete what is over, Unix seconds. */
function expiryOf({ entries }: PersonChange): number {
  return Math.ceil((entries[0]?.at ?? 0) / 1000) + consoleLimits.memberKeptSeconds;
}
