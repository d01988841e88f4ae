/** What operators do with organizations: create, credit, freeze, grant, show (design §6). */

import { invalidRequest } from "../../base/errors.ts";
import { newId } from "../../base/platform/id.ts";
import type {
  Accounts,
  BillingMode,
  Organization,
  Permission,
  PlanPeriod,
} from "../../books/accounts/account.ts";
import { dueAt, planAt } from "../../books/accounts/subscription.ts";
import { amountMax, formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import { isPossible, kindOfAmount } from "../../books/ledger/credit.ts";
import type { Credit, CreditKind, Ledger } from "../../books/ledger/ledger.ts";
import { postFeesOf } from "../jobs/plan-fees.ts";

export interface OrganizationDeps {
  accounts: Accounts;
  ledger: Ledger;
  meters: {
    open(meter: string, shard: number, mode: BillingMode): Promise<void>;
    balance(meter: string): Promise<bigint>;
  };
  plans: () => string[];
  plan: (name: string) => Plan | undefined;
  now: () => number;
}

/** What an opening balance is booked under. */
export const openingReference = "opening";

export interface NewOrganization {
  name: string;
  plan?: string;
  period?: PlanPeriod;
  /** The opening balance, a decimal string. It gives the organization a wallet. */
  points?: string;
  /** The ids to make it with, so that it can be made again after a crash. Absent: new ones. */
  ids?: { organization: string; subscription: string; wallet: string };
}

/**
 * Makes an organization with a subscription, a wallet, or both. The same ids and `now` make the same again: what is
 * there stays. Throws `invalid_request`.
 */
export async function createOrganization(
  wanted: NewOrganization,
  deps: OrganizationDeps,
): Promise<Organization> {
  if (wanted.plan !== undefined && !deps.plans().includes(wanted.plan)) {
    throw invalidRequest(`There is no plan ${wanted.plan}; there are ${deps.plans().join(", ")}.`);
  }
  if (wanted.period !== undefined && wanted.plan === undefined)
    throw invalidRequest("A period goes with a plan.");
  const points = wanted.points === undefined ? undefined : readAmount(wanted.points);
  if (points !== undefined && points < 0n) throw invalidRequest("The amount must be positive.");
  const at = deps.now();
  const organization: Organization = {
    id: wanted.ids?.organization ?? newId("organization", at),
    name: wanted.name,
    status: "active",
    subscription: wanted.plan
      ? {
          meter: wanted.ids?.subscription ?? newId("meter", at),
          plan: wanted.plan,
          period: wanted.period ?? "monthly",
          started_at: at,
          ends_at: null,
          paid: { from: at },
        }
      : null,
    // An organization without a plan needs a wallet, or no key of it could ever be used.
    wallet:
      points !== undefined || !wanted.plan
        ? { meter: wanted.ids?.wallet ?? newId("meter", at), shards: 1 }
        : null,
    permissions: [],
    created_at: at,
  };
  // The meters come first, because an organization can be used as soon as its record exists.
  if (organization.subscription) await deps.meters.open(organization.subscription.meter, 0, "subscription");
  if (organization.wallet) await deps.meters.open(organization.wallet.meter, 0, "payg");
  await deps.accounts.createOrganization(organization);
  if (points) await credit(organization, { points: formatPoints(points), reference: openingReference }, deps);
  await postFeesOf(organization, at, deps);
  return organization;
}

/** A credit to book. A negative amount takes points out of the wallet. */
export interface NewCredit {
  points: string;
  reference: string;
  /** The default is `bought`, and `refund` for a negative amount. */
  kind?: CreditKind;
}

/**
 * Books a credit. False for a reference that is booked. Throws `invalid_request` for a bad amount or another one under
 * the reference, and `insufficient_balance`.
 */
export async function credit(
  organization: Organization,
  wanted: NewCredit,
  deps: Pick<OrganizationDeps, "ledger" | "now">,
): Promise<boolean> {
  return await deps.ledger.credit(readCredit(organization, wanted, deps.now()));
}

/** The credit that is wanted, at `at` (Unix ms). Throws `invalid_request`. */
export function readCredit(
  organization: Organization,
  { points: text, reference, kind: named }: NewCredit,
  at: number,
): Credit & { kind: CreditKind } {
  if (!organization.wallet) throw invalidRequest("The organization has no wallet.");
  if (!/^[\w.:-]{1,128}$/.test(reference))
    throw invalidRequest("A reference is 1 to 128 of letters, digits and . : _ -");
  const points = readAmount(text);
  const kind = named ?? kindOfAmount(points);
  if (points === 0n) throw invalidRequest("The amount must not be 0.");
  if (!isPossible(kind, points))
    throw invalidRequest(`Points of the kind ${kind} are ${kind === "refund" ? "negative" : "positive"}.`);
  return { organization: organization.id, meter: organization.wallet.meter, points, kind, reference, at };
}

/** Grants a permission or takes it back. */
export async function setPermission(
  organization: Organization,
  permission: Permission,
  granted: boolean,
  deps: Pick<OrganizationDeps, "accounts">,
): Promise<Organization> {
  const others = organization.permissions.filter((name) => name !== permission);
  const changed = await deps.accounts.setPermissions(
    organization.id,
    granted ? [...others, permission] : others,
  );
  return changed ?? organization;
}

/** The organization as the operator shows it. */
export async function showOrganization(
  organization: Organization,
  deps: { meters: Pick<OrganizationDeps["meters"], "balance">; now: () => number },
): Promise<object> {
  const { subscription, wallet } = organization;
  const next = subscription ? dueAt(subscription, deps.now()) : undefined;
  return {
    id: organization.id,
    name: organization.name,
    status: organization.status,
    subscription: subscription && {
      ...planAt(subscription, deps.now()),
      next: next ? { plan: next.plan, period: next.period, from: new Date(next.from).toISOString() } : null,
      started_at: new Date(subscription.started_at).toISOString(),
      ends_at: subscription.ends_at === null ? null : new Date(subscription.ends_at).toISOString(),
    },
    wallet: wallet && {
      balance_points: formatPoints(await deps.meters.balance(wallet.meter)),
      shards: wallet.shards,
    },
    permissions: organization.permissions,
  };
}

function readAmount(text: string): bigint {
  let points: bigint;
  try {
    points = parsePoints(text);
  } catch {
    throw invalidRequest(`${text} is no amount of points.`);
  }
  if (points > amountMax || points < -amountMax)
    throw invalidRequest(`The amount must be at most ${formatPoints(amountMax)} points.`);
  return points;
}
