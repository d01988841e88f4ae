/**
 * Who is charged: organizations with their subscription or wallet, and the API keys that point at them.
 * The stores implement `Accounts`; the gateway and the operator only know this file.
 */

export type BillingMode = "subscription" | "payg";
export type Permission = "AVG_V2" | "manage_keys";
export type PlanPeriod = "monthly" | "quarterly" | "yearly";
export type BudgetPeriod = "day" | "month" | "total";

/** What a subscription buys: a plan, for periods of this length. */
export interface PlanChoice {
  plan: string;
  period: PlanPeriod;
}

export interface Subscription extends PlanChoice {
  /** The meter item that counts this subscription's calls and tokens. */
  meter: string;
  /** Unix milliseconds. Quota months start on this day of the month (design §4 "Plans"). */
  started_at: number;
  /** Unix milliseconds at which the paid time ends, or null while it renews by itself. */
  ends_at: number | null;
  /** The plan that follows from an instant on (Unix milliseconds); absent where none is due. */
  next?: PlanChoice & PaidTime;
  /** Since when the plan is paid for. Absent until the first fee of a subscription from before there were fees. */
  paid?: PaidTime;
}

/** When the paid periods of a plan begin. */
export interface PaidTime {
  /** Unix milliseconds: the start of the first. */
  from: number;
  /** What was paid for and is unused of the plan before: the first fee is lower by so many points, a decimal string. */
  unused_points?: string;
}

export interface Wallet {
  meter: string;
  /** Meter items its calls are spread over. */
  shards: number;
  /** Items that were ever made, where they are more: what stops a call at once must stand on all of them. */
  opened?: number;
}

export interface Organization {
  id: string;
  name: string;
  status: "active" | "frozen";
  subscription: Subscription | null;
  wallet: Wallet | null;
  permissions: Permission[];
  created_at: number;
}

/**
 * A key's own limits (design §4). Those of the minute and the day can only lower the plan's; pay-as-you-go
 * has none of them.
 */
export interface KeyLimits {
  rpm?: number;
  tpm?: number;
  tpd?: number;
  /** Calls in flight at once, on either mode. A task is no call: it may run for minutes, and is not counted. */
  max_concurrency?: number;
  /**
   * What its calls may cost in a period, on either mode: a decimal string of points, and the period. Both are
   * there or none. Pay-as-you-go counts what is charged, a subscription what its calls are worth at list price.
   */
  budget_points?: string;
  budget_period?: BudgetPeriod;
}

export interface KeyRecord {
  id: string;
  /** HMAC-SHA256(pepper, key), hex. The key itself is never stored. */
  hash: string;
  organization: string;
  /** Empty for a key that belongs to the whole organization. */
  project: string;
  name: string;
  mode: BillingMode;
  permissions: Permission[];
  limits: KeyLimits | null;
  status: "active" | "revoked";
  last_four: string;
  created_at: number;
  expires_at: number | null;
}

/** A key with the organization it belongs to: everything a call needs to know about its caller. */
export interface Principal {
  key: KeyRecord;
  organization: Organization;
}

/** The store of keys and organizations. Every read is strongly consistent. */
export interface Accounts {
  /** The key with this hash and its organization, or undefined. */
  findPrincipal(hash: string): Promise<Principal | undefined>;
  organization(id: string): Promise<Organization | undefined>;
  organizations(): AsyncIterable<Organization>;
  createOrganization(organization: Organization): Promise<void>;
  /** Freezes or unfreezes: the record and a mark on each of its meters, in one transaction. */
  setStatus(id: string, status: Organization["status"]): Promise<Organization | undefined>;
  /** Changes the shards of a wallet if it still is as it was `before`; says whether it was. */
  setWallet(id: string, before: Wallet, after: Wallet): Promise<boolean>;
  setPermissions(id: string, permissions: Permission[]): Promise<Organization | undefined>;
  /** Replaces the subscription that was read; undefined where it is another one by now. */
  setSubscription(
    id: string,
    before: Subscription,
    subscription: Subscription,
  ): Promise<Organization | undefined>;
  createKey(key: KeyRecord): Promise<void>;
  /** Keys of an organization in order of creation, after the key id `after` (exclusive). */
  keys(
    organization: string,
    page: { limit: number; after?: string },
  ): Promise<{ keys: KeyRecord[]; more: boolean }>;
  /** Revokes: both key records and a mark on the key's meter, in one transaction. Undefined if the organization has no such key. */
  revokeKey(organization: string, id: string, at: number): Promise<KeyRecord | undefined>;
}
