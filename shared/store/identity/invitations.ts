/** Invitations on DynamoDB: a record under the organization, and the place of its token by the token's hash. */
import { consoleLimits } from "../../console-limits.ts";
import { type Invitation, type Invitations, isOpen } from "../../identity/invitation.ts";
import type { Aws } from "../../platform/aws.ts";
import { isId } from "../../platform/id.ts";
import {
  accountSorts,
  invitationKey,
  invitationTokenKey,
  organizationAccountKey,
} from "../dynamodb/account-keys.ts";
import { readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { above, absent, equals } from "../dynamodb/expressions.ts";
import { readRecord, type Tables } from "../dynamodb/item-keys.ts";
import { getItem, pages } from "../dynamodb/items.ts";
import { put, transact, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";
import { holdingWrites, membershipWrites } from "./membership.ts";

/** What the item of a token says. */
interface TokenPlace {
  organization: string;
  invitation: string;
}

const untouched = [equals("accepted_by", toAttribute(null)), equals("withdrawn_at", toAttribute(null))];

/** The invitations of a table of accounts. */
export function createInvitations(aws: Aws, tables: Pick<Tables, "accounts">): Invitations {
  const { accounts } = tables;
  const byId = async (organization: string, id: string) =>
    isId(id, "invitation")
      ? readRecord<Invitation>(await getItem(aws, accounts, invitationKey(organization, id)))
      : undefined;

  return {
    byId,

    async create(invitation, holding, entry) {
      const { id, organization, token } = invitation;
      const expires_at = expiryOf(invitation);
      const record = { ...invitationKey(organization, id), ...toItem({ ...invitation, expires_at }) };
      const place: TokenPlace = { organization, invitation: id };
      const placed = { ...invitationTokenKey(token), ...toItem({ ...place, expires_at }) };
      const outcomes = await transact(aws, [
        put(accounts, record, [absent("pk")]),
        put(accounts, placed, [absent("pk")]),
        ...holdingWrites(tables, [holding]),
        auditWrite(tables, entry),
      ]);
      return outcomes === null;
    },

    async byToken(hash) {
      const place = readRecord<TokenPlace>(await getItem(aws, accounts, invitationTokenKey(hash)));
      return place && (await byId(place.organization, place.invitation));
    },

    async open(organization, now) {
      const input = {
        TableName: accounts,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :organization AND begins_with(sk, :invitation)",
        ExpressionAttributeValues: {
          ":organization": { S: readText(organizationAccountKey(organization).pk) },
          ":invitation": { S: accountSorts.invitation },
        },
      };
      const found: Invitation[] = [];
      for await (const page of pages(aws, "Query", input))
        found.push(...page.map((item) => readRecord<Invitation>(item)).filter((each) => isOpen(each, now)));
      return found;
    },

    async withdraw({ organization, id }, entry) {
      const key = invitationKey(organization, id);
      const set = toItem({ withdrawn_at: entry.at });
      const change = { table: accounts, key, set, when: untouched };
      return (await transact(aws, [update(change), auditWrite(tables, entry)])) === null;
    },

    async accept({ organization, id }, membership, holding, entry) {
      const used = update({
        table: accounts,
        key: invitationKey(organization, id),
        set: toItem({ accepted_by: membership.user }),
        when: [...untouched, above("ends_at", membership.since)],
      });
      const outcomes = await transact(aws, [
        used,
        ...membershipWrites(tables, membership),
        ...holdingWrites(tables, [holding]),
        auditWrite(tables, entry),
      ]);
      return outcomes === null;
    },
  };
}

/** When DynamoDB may delete the invitation, Unix seconds: a while after nobody can accept it. */
function expiryOf({ ends_at }: Invitation): number {
  return Math.ceil(ends_at / 1000) + consoleLimits.invitationKeptSeconds;
}
