/** Lists of organizations, keys and credits for an operator. No call reads them. */

import { limits } from "../../base/limits.ts";
import type { Accounts, KeyRecord, Organization } from "../../books/accounts/account.ts";
import { planAt } from "../../books/accounts/subscription.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { creditedBy, creditKindOf } from "../../books/ledger/credit.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import type { Meters } from "../../books/meters/meter.ts";
import { showKeys } from "../api/keys.ts";

export interface OrganizationListDeps {
  accounts: Pick<Accounts, "organizations">;
  meters: { balance(meter: string): Promise<bigint> };
  now: () => number;
}

interface OrganizationPage {
  /** Only organizations whose name contains this text. Case does not count. */
  name?: string | undefined;
  /** The id of the organization before the page. */
  after?: string | undefined;
  limit: number;
}

/** An organization on one line. The subscription is its plan and period, such as `pro monthly`. */
interface OrganizationLine {
  id: string;
  name: string;
  status: Organization["status"];
  subscription: string | null;
  ends_at: string | null;
  balance_points: string | null;
  created_at: string;
}

/** A page in order of creation. It reads every organization, and the balances of those shown. `more`: others follow. */
export async function listOrganizations(
  { name = "", after = "", limit }: OrganizationPage,
  deps: OrganizationListDeps,
): Promise<{ organizations: OrganizationLine[]; more: boolean }> {
  const wanted = name.toLowerCase();
  const found: Organization[] = [];
  for await (const organization of deps.accounts.organizations()) {
    if (organization.id > after && organization.name.toLowerCase().includes(wanted)) found.push(organization);
  }
  // Ids begin with the time of their creation.
  found.sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = found.slice(0, limit);
  const organizations = await Promise.all(page.map((organization) => lineOf(organization, deps)));
  return { organizations, more: found.length > limit };
}

async function lineOf(
  { id, name, status, subscription, wallet, created_at }: Organization,
  { meters, now }: OrganizationListDeps,
): Promise<OrganizationLine> {
  const running = subscription && planAt(subscription, now());
  return {
    id,
    name,
    status,
    subscription: running && `${running.plan} ${running.period}`,
    ends_at: subscription?.ends_at ? rfc3339(subscription.ends_at) : null,
    balance_points: wallet && formatPoints(await meters.balance(wallet.meter)),
    created_at: rfc3339(created_at),
  };
}

interface KeyListDeps {
  accounts: Pick<Accounts, "keys">;
  meters: Pick<Meters, "budgets">;
  now: () => number;
}

/** A page of an organization's keys as the interface shows them, from behind the key `after`. Throws `invalid_request`. */
export async function listKeys(
  organization: Organization,
  page: { limit: number; after?: string | undefined },
  deps: KeyListDeps,
): Promise<{ keys: object[]; more: boolean; last: string | null }> {
  const { keys, more } = await deps.accounts.keys(organization.id, page);
  return { keys: await showKeys(organization, keys, deps), more, last: keys.at(-1)?.id ?? null };
}

/** Every key of an organization as the interface shows it, revoked ones too, in order of creation. */
export async function listAllKeys(organization: Organization, deps: KeyListDeps): Promise<object[]> {
  const keys: KeyRecord[] = [];
  for await (const page of keyPages(organization.id, deps)) keys.push(...page);
  return await showKeys(organization, keys, deps);
}

async function* keyPages(
  id: string,
  { accounts }: Pick<KeyListDeps, "accounts">,
): AsyncGenerator<KeyRecord[]> {
  for (let after: string | undefined; ; ) {
    const { keys, more } = await accounts.keys(id, { limit: limits.keyListMax, ...(after && { after }) });
    yield keys;
    after = keys.at(-1)?.id;
    if (!more || after === undefined) return;
  }
}

/** The key of an organization with this id, revoked or not; undefined where it has none. */
export async function findKey(
  organization: string,
  id: string,
  deps: Pick<KeyListDeps, "accounts">,
): Promise<KeyRecord | undefined> {
  for await (const page of keyPages(organization, deps)) {
    const key = page.find((each) => each.id === id);
    if (key) return key;
  }
  return undefined;
}

/** A credit on one line, with the sum of all credits up to it. */
interface CreditLine {
  at: string;
  reference: string;
  kind: string;
  points: string;
  credited_points: string;
}

export interface CreditListDeps {
  ledger: { creditsAndFees(organization: string): Promise<Entry[]> };
}

/** Every credit of an organization's wallet, the oldest first. Charges of calls are not in the list. */
export async function listCredits(
  ledger: CreditListDeps["ledger"],
  organization: string,
): Promise<CreditLine[]> {
  const credits = (await ledger.creditsAndFees(organization)).filter((entry) => creditKindOf(entry));
  credits.sort((a, b) => a.at - b.at);
  let sum = 0n;
  return credits.map((entry) => {
    const points = creditedBy(entry);
    sum += points;
    return {
      at: rfc3339(entry.at),
      reference: entry.id.slice("credit#".length),
      kind: creditKindOf(entry) ?? entry.kind,
      points: formatPoints(points),
      credited_points: formatPoints(sum),
    };
  });
}
