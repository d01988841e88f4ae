/** Domains on DynamoDB: what an organization claims, and which one has proved a domain. A claim that is over has no token. */
import { consoleLimits } from "../../../base/console-limits.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import type { DomainClaim, Domains } from "../../../people/sign-on/domain.ts";
import { accountSorts, domainClaimKey, domainKey, organizationAccountKey } from "../dynamodb/account-keys.ts";
import { type Item, readText, toAttribute, toItem } from "../dynamodb/attributes.ts";
import { absent, type Change, type Condition, either, equals } from "../dynamodb/expressions.ts";
import { between, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { attemptChange, getItem, itemsBetween } from "../dynamodb/items.ts";
import { put, unlessContended, update } from "../dynamodb/transaction.ts";
import { auditWrite } from "./audit.ts";

/** The domains of a table of accounts. */
export function createDomains(aws: Aws, tables: Pick<TableNames, "accounts">): Domains {
  const { accounts: table } = tables;
  return {
    async list(organization) {
      const pk = readText(organizationAccountKey(organization).pk);
      const range = between(accountSorts.domain, `${accountSorts.domain}~`);
      return (await itemsBetween(aws, table, pk, range)).map(claimOf).filter((each) => each !== undefined);
    },

    read: async (organization, domain) =>
      claimOf(await getItem(aws, table, domainClaimKey(organization, domain))),

    async holder(domain) {
      const item = await getItem(aws, table, domainKey(domain));
      return item?.organization && readText(item.organization);
    },

    async claim(claim, entry) {
      const item = { ...domainClaimKey(claim.organization, claim.domain), ...toItem(claim) };
      return (
        (await unlessContended(aws, [put(table, item, [absent("token")]), auditWrite(tables, entry)])) ===
        null
      );
    },

    async prove(claim, from, at, entry) {
      const { organization, domain } = claim;
      const isFree = either(absent("organization"), equals("organization", toAttribute(organization)));
      const isTheirs = from && equals("organization", toAttribute(from.organization));
      const held = update({
        table,
        key: domainKey(domain),
        set: toItem({ organization, since: at }),
        when: [isTheirs ?? isFree],
      });
      const lost = from ? [update(change(table, from, { seen_at: null }))] : [];
      const writes = [
        held,
        update(change(table, claim, { seen_at: at })),
        ...lost,
        auditWrite(tables, entry),
      ];
      return (await unlessContended(aws, writes)) === null;
    },

    async see(claim, at) {
      await attemptChange(aws, change(table, claim, { seen_at: at }));
    },

    async drop(claim, entry) {
      const { organization, domain } = claim;
      const expires_at = Math.ceil(entry.at / 1000) + consoleLimits.memberKeptSeconds;
      const gone = update({
        table,
        key: domainClaimKey(organization, domain),
        set: toItem({ expires_at }),
        remove: ["token"],
        when: asRead(claim),
      });
      const isTheirs = equals("organization", toAttribute(organization));
      // Only a claim that was proved may be the holder's.
      const free = update({ table, key: domainKey(domain), remove: ["organization"], when: [isTheirs] });
      const writes = claim.seen_at === null ? [gone] : [gone, free];
      return (await unlessContended(aws, [...writes, auditWrite(tables, entry)])) === null;
    },
  };
}

/** A claim that is as it was read gets another value. */
function change(table: string, claim: DomainClaim, set: Pick<DomainClaim, "seen_at">): Change {
  const { organization, domain } = claim;
  return { table, key: domainClaimKey(organization, domain), set: toItem(set), when: asRead(claim) };
}

function asRead({ token, seen_at }: DomainClaim): Condition[] {
  return [equals("token", toAttribute(token)), equals("seen_at", toAttribute(seen_at))];
}

function claimOf(item: Item | undefined): DomainClaim | undefined {
  return item?.token ? readRecord<DomainClaim>(item) : undefined;
}
