/** Invitations on DynamoDB: a record under the organization, and the place of its token by the token's hash. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../../base/console-limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { isId } from "../../../base/platform/id.ts";
import {
  type Invitation,
  type Invitations,
  isOpen,
  type Joining,
} from "../../../people/identity/invitation.ts";
import { invitationKey, invitationTokenKey, openInvitationsKey, userKey } from "../dynamodb/account-keys.ts";
import { toAttribute, toItem } from "../dynamodb/attributes.ts";
import { above, absent, equals } from "../dynamodb/expressions.ts";
import { readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { getItem, getItems } from "../dynamodb/items.ts";
import { put, unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";
import { notOff } from "./directories.ts";
import { holdingWrites, membershipWrites } from "./membership.ts";

/** What the item of a token says. */
interface TokenPlace {
  organization: string;
  invitation: string;
}

/** The open invitations of an organization: when each ends, Unix milliseconds, and how often this has changed. */
interface OpenOnes {
  changes: number | undefined;
  ends: ReadonlyMap<string, number>;
}

const untouched = [equals("accepted_by", toAttribute(null)), equals("withdrawn_at", toAttribute(null))];

/** The invitations of a table of accounts. */
export function createInvitations(aws: Aws, tables: Pick<TableNames, "accounts">): Invitations {
  const { accounts } = tables;
  const byId = async (organization: string, id: string) =>
    isId(id, "invitation")
      ? readRecord<Invitation>(await getItem(aws, accounts, invitationKey(organization, id)))
      : undefined;
  const openOnes = async (organization: string): Promise<OpenOnes> => {
    const item = await getItem(aws, accounts, openInvitationsKey(organization));
    const { changes, ...ends } = readRecord<Record<string, number>>(item) ?? {};
    return { changes, ends: new Map(Object.entries(ends)) };
  };

  return {
    byId,

    async create(invitation, holding, entry) {
      const { organization, created_at } = invitation;
      for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
        const before = await openOnes(organization);
        const over = [...before.ends].flatMap(([id, ends_at]) => (ends_at > created_at ? [] : [id]));
        if (before.ends.size - over.length >= consoleLimits.invitationsOpenMax) return "full";
        const outcomes = await unlessContended(aws, [
          addToOpen(accounts, invitation, { before, over }),
          ...newWrites(accounts, invitation),
          ...holdingWrites(tables, [holding]),
          auditWrite(tables, entry),
        ]);
        if (!outcomes) return "done";
        if (outcomes !== "contended" && !outcomes[0]?.failed) return "changed";
      }
      return "changed";
    },

    async byToken(hash) {
      const place = readRecord<TokenPlace>(await getItem(aws, accounts, invitationTokenKey(hash)));
      return place && (await byId(place.organization, place.invitation));
    },

    async open(organization, now) {
      const { ends } = await openOnes(organization);
      const wanted = [...ends.keys()].toSorted().map((id) => ({
        table: accounts,
        key: invitationKey(organization, id),
      }));
      const found = await getItems(aws, wanted);
      return found
        .map((item) => readRecord<Invitation>(item))
        .filter((each) => each && isOpen(each, now)) as Invitation[];
    },

    async withdraw({ organization, id }, entry) {
      const key = invitationKey(organization, id);
      const set = toItem({ withdrawn_at: entry.at });
      const change = { table: accounts, key, set, when: untouched };
      const writes = [update(change), takeFromOpen(accounts, organization, id), auditWrite(tables, entry)];
      return (await unlessContended(aws, writes)) === null;
    },

    accept: async (joining) => (await unlessContended(aws, joiningWrites(tables, joining))) === null,
  };
}

/** The writes of a new member. They fail where invitation, membership or the inviter's role has changed. */
export function joiningWrites(
  tables: Pick<TableNames, "accounts">,
  { invitation: { organization, id, inviter }, membership, holding, entry, isProvisioning }: Joining,
): TransactWriteItem[] {
  const { accounts } = tables;
  const used = update({
    table: accounts,
    key: invitationKey(organization, id),
    set: toItem({ accepted_by: membership.user }),
    when: [...untouched, above("ends_at", membership.since)],
  });
  return [
    used,
    takeFromOpen(accounts, organization, id),
    ...membershipWrites(tables, membership),
    ...holdingWrites(tables, [holding]),
    ...(isProvisioning ? [notOff(accounts, membership)] : []),
    isActive(accounts, inviter),
    auditWrite(tables, entry),
  ];
}

/** The record of an invitation and the place of its token. */
function newWrites(table: string, invitation: Invitation): TransactWriteItem[] {
  const { id, organization, token } = invitation;
  const expires_at = expiryOf(invitation);
  const place: TokenPlace = { organization, invitation: id };
  return [
    { ...invitationKey(organization, id), ...toItem({ ...invitation, expires_at }) },
    { ...invitationTokenKey(token), ...toItem({ ...place, expires_at }) },
  ].map((item) => put(table, item, [absent("pk")]));
}

/** Adds an invitation to the open ones, and drops those that are over. It fails where the open ones have changed. */
function addToOpen(
  table: string,
  { organization, id, ends_at }: Invitation,
  { before, over }: { before: OpenOnes; over: string[] },
): TransactWriteItem {
  const { changes } = before;
  return update({
    table,
    key: openInvitationsKey(organization),
    set: toItem({ [id]: ends_at }),
    add: { changes: 1 },
    remove: over,
    when: [changes === undefined ? absent("changes") : equals("changes", toAttribute(changes))],
  });
}

function takeFromOpen(table: string, organization: string, id: string): TransactWriteItem {
  return update({ table, key: openInvitationsKey(organization), add: { changes: 1 }, remove: [id] });
}

/** The condition that a user is not frozen: a write that changes nothing, as in `holdingWrites`. */
function isActive(table: string, user: string): TransactWriteItem {
  const active = toItem({ status: "active" });
  return update({
    table,
    key: userKey(user),
    set: active,
    when: [equals("status", toAttribute("active"))],
  });
}

/** When DynamoDB may delete the invitation, Unix seconds: a while after nobody can accept it. */
function expiryOf({ ends_at }: Invitation): number {
  return Math.ceil(ends_at / 1000) + consoleLimits.invitationKeptSeconds;
}
