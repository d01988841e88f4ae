/**
 * Who is charged: organizations with their subscription or wallet, and the API keys that belong to them. The store
 * implements `Accounts`. The gateway and the operator know accounts by this file only.
 */
import type { CacheUse, KeyDefaults } from "./key-defaults.ts";
import type { OwnKey } from "./own-key.ts";
import type { LevelPolicy, LevelRules, Policy } from "./policy.ts";
import type { SignedInProgram } from "./program.ts";
import type { OrganizationProjects, Projects } from "./project.ts";
import type { BudgetsChange, RowsChange, RowsName } from "./rows.ts";
import type { WalletThreshold } from "./wallet-threshold.ts";

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
  /**
   * Later instants (Unix milliseconds, in order) from which quota months start on another day: a plan was bought after
   * none had been paid for.
   */
  restarts?: number[];
  /** Unix milliseconds at which the paid time ends, or null while it renews by itself. */
  ends_at: number | null;
  /** The plan that takes over at an instant (Unix milliseconds); absent where no change is due. */
  next?: PlanChoice & PaidTime;
  /** When the plan's paid periods began. Absent on a subscription older than fees, until its first fee. */
  paid?: PaidTime;
  /** The starts (Unix milliseconds) of times that were paid back before they began. Absent: none. */
  returned?: number[];
}

/** The start of a plan's paid periods. */
export interface PaidTime {
  /** The start of the first one, Unix milliseconds. */
  from: number;
  /** The unused part of the plan before, in points: it is taken off the first fee. A decimal string. */
  unused_points?: string;
  /** The end of the first period, where an order paid for another time than a whole period from `from` on. */
  first_ends_at?: number;
}

export interface Wallet {
  meter: string;
  /** The number of meter items that its calls are spread over. */
  shards: number;
  /** The number of items ever made, where it is larger. A freeze or a revocation must mark all of them. */
  opened?: number;
  /** The hours of its calls are spread over the ledger (shared/edges/store/README.md "Spread hours"), and stay so. */
  spread?: true;
}

/** The levels that an organization gives budgets, in the order of lists. A key has its own. */
export const budgetLevels = ["organization", "project", "member", "customer"] as const;
export type BudgetLevel = (typeof budgetLevels)[number];

/**
 * What the calls of a level may cost in a period, counted by each meter for itself (books/meters/README.md "Budgets of
 * five levels").
 */
export interface LevelBudget {
  level: BudgetLevel;
  /** The project's name, or the member's user id. "" for the organization, and for customers: it is that of each. */
  id: string;
  /** A decimal string of points. */
  points: string;
  period: BudgetPeriod;
  /** As `first_until` of a key: until when its calls are held on the first shard alone. */
  first_until?: number;
}

export interface Organization {
  id: string;
  name: string;
  status: "active" | "frozen";
  subscription: Subscription | null;
  wallet: Wallet | null;
  permissions: Permission[];
  created_at: number;
  /** The budgets of its levels, at most `limits.levelBudgetsMax`. Absent: none. */
  budgets?: LevelBudget[];
  /** How often these were changed. Absent: never. A call that they bound is admitted by the last revision alone. */
  budgets_revision?: number;
  /** What the calls of its levels may do, at most `policyBounds.levelPoliciesMax`. Absent: everything. */
  policies?: LevelPolicy[];
  projects?: OrganizationProjects;
  /** Its own keys at providers, at most `ownKeyBounds.ofOrganizationMax`. Absent: it never had one. */
  provider_keys?: OwnKey[];
  /** When it is told that its wallet is low: one row for each measure at most. Absent: as everybody is. */
  wallet_thresholds?: WalletThreshold[];
  /** How many times its cache of answers was emptied. Absent: never. */
  cache_epoch?: number;
  /** `required`: its people sign in by its own provider, and by nothing else (people/sign-on). Absent: they may choose. */
  sign_on?: "required" | "optional";
  /** Sessions that came by an earlier version of its connection are over (`Session.connection_at`): it leads elsewhere. */
  sign_on_since?: number;
  /** Its connection was removed, so projects that groups gave count for nothing. Absent: it has one, or never had. */
  sign_on_removed?: boolean;
}

/**
 * A key's own limits (design §4). The limits per minute and per day can only lower the plan's, so a pay-as-you-go key
 * has none of them.
 */
export interface KeyLimits {
  rpm?: number;
  tpm?: number;
  tpd?: number;
  /** Calls in flight at once, on either mode. Video tasks do not count: they may run for minutes. */
  max_concurrency?: number;
  /**
   * What its calls may cost in a period, as a decimal string of points, on either mode. A key has both members or
   * neither. Pay-as-you-go counts what is charged. A subscription counts what its calls are worth at list price.
   */
  budget_points?: string;
  budget_period?: BudgetPeriod;
}

/** The secret that a key had before its last one, as long as both are in force. */
export interface OldSecret extends Pick<KeyRecord, "hash" | "hash_version" | "shown_to"> {
  /** When it ends, Unix milliseconds. */
  until: number;
}

export interface KeyRecord {
  id: string;
  /** HMAC-SHA256(pepper, key), hex. The key itself is never stored. */
  hash: string;
  /** The version of the pepper that `hash` is made with. Absent: 1. */
  hash_version?: number;
  organization: string;
  /** Empty for a key that belongs to the whole organization. */
  project: string;
  name: string;
  mode: BillingMode;
  permissions: Permission[];
  limits: KeyLimits | null;
  /** Absent: a call uses the cache where it asks for sameness. */
  cache?: CacheUse;
  /** What its calls wish by headers, where they say nothing. Absent: nothing. */
  defaults?: KeyDefaults;
  /** What its calls may do, and what they get where they say nothing. Absent: everything, as its levels say. */
  policy?: Policy;
  status: "active" | "disabled" | "revoked";
  /** Of a disabled key: who may enable it again, at least. */
  disabled_by?: KeyEnabler;
  last_four: string;
  /** The user who made it with a session. Absent: an operator or another key made it. */
  created_by?: string;
  /**
   * The key that made it. Absent: no key did, or it was made before this was noted (people/identity/members.md "Who
   * made a key").
   */
  parent?: string;
  /** Where a key made it: the user at the root of the chain of keys. Absent: nobody is known there. */
  root?: string;
  /** The user who was shown its secret as it was made anew, where the key descends from somebody else. */
  shown_to?: string;
  /** Absent: its secret was never made anew, or without an overlap. */
  old?: OldSecret;
  created_at: number;
  expires_at: number | null;
  /** The program that somebody has signed in, whose key it is. Absent: it is any other key. */
  program?: SignedInProgram;
  /**
   * Until when its calls are held on the wallet's first shard alone, Unix milliseconds, because its budget was changed
   * (shared/books/meters/README.md "A budget that is changed").
   */
  first_until?: number;
  /** Since when its budget counts, Unix milliseconds, where it has that budget by a change. Absent: since it was made. */
  budget_from?: number;
  /** How often it was changed since it was made. Absent: never. A call is admitted by the last revision alone. */
  revision?: number;
}

/** Who may enable a disabled key: who made it and everybody behind in this list, or only those behind. */
export const keyEnablers = ["maker", "manager", "operator"] as const;
export type KeyEnabler = (typeof keyEnablers)[number];

/** A key with its organization: everything a call needs to know about its caller. */
export interface Principal {
  key: KeyRecord;
  organization: Organization;
  /** The rules of all levels as they were compiled when both records were read. Absent: they are compiled when asked for. */
  rules?: readonly LevelRules[];
}

/** The organization of a key, where it is known and need not be read. */
export type KnownOwner = (key: KeyRecord) => Organization | undefined;

type RowsOf<Name extends RowsName> = RowsChange<Organization[Name]>;
/** The store of keys and organizations. Every read is strongly consistent. */
export interface Accounts extends Projects {
  /**
   * The key with this hash and its organization, also if the key has moved to another hash since; or undefined. By an old
   * secret that is in force beside the new one, the key ends when that secret does.
   */
  findPrincipal(hash: string, ownerOf?: KnownOwner): Promise<Principal | undefined>;
  organization(id: string): Promise<Organization | undefined>;
  organizations(): AsyncIterable<Organization>;
  createOrganization(organization: Organization): Promise<void>;
  /** Freezes or unfreezes an organization: changes its record and a mark on each of its meters, in one transaction. */
  setStatus(id: string, status: Organization["status"]): Promise<Organization | undefined>;
  /** Replaces a wallet if it is still the one given as `before`; says whether it was. */
  setWallet(id: string, before: Wallet, after: Wallet): Promise<boolean>;
  setPermissions(id: string, permissions: Permission[]): Promise<Organization | undefined>;
  /** Replaces the subscription given as `before`; gives undefined where the stored one is another by now. */
  setSubscription(id: string, before: Subscription, after: Subscription): Promise<Organization | undefined>;
  /** Replaces rows of its record if they are still those given as `before`; says whether they were. */
  setRows<Name extends RowsName>(id: string, name: Name, change: RowsOf<Name>): Promise<boolean>;
  /** The same of the budgets of its levels. Calls that those before bounded go by the new ones at once. */
  changeBudgets(id: string, change: BudgetsChange<Organization["budgets"]>): Promise<boolean>;
  /** Raises the epoch of an organization's cache. */
  emptyCache(id: string): Promise<void>;
  /**
   * Stores a key. Gives what is full where it was not stored for that, and `busy` where too many were stored at the same
   * moment. A key without a limit (`most`) is stored, or the error is thrown.
   */
  createKey(key: KeyRecord, more?: NewKey): Promise<KeyRefusal | undefined>;
  /**
   * Moves an active key to its hash under another pepper at `at` (Unix milliseconds), in one transaction. Who looks for
   * the old hash is led to the new one. Says whether this call moved it: another one may have, or it was revoked
   * meanwhile.
   */
  rehashKey(
    key: KeyRecord,
    to: Required<Pick<KeyRecord, "hash" | "hash_version">>,
    at: number,
  ): Promise<boolean>;
  /** A key of an organization by its id; undefined for any other text. */
  key(organization: string, id: string): Promise<KeyRecord | undefined>;
  /** The keys of an organization in order of creation, from the one behind the key id `after`. */
  keys(
    organization: string,
    page: { limit: number; after?: string | undefined },
  ): Promise<{ keys: KeyRecord[]; more: boolean }>;
  /**
   * Changes a key that is not revoked: both of its records, and a mark on each of its meters. The next call is admitted by
   * the new record. `change.of` is asked again where others changed the key meanwhile, and what it throws is
   * thrown. Undefined for a key that is unknown or was revoked. Repeating a change that failed is harmless.
   */
  changeKey(organization: string, id: string, change: KeyChange): Promise<ChangedKey | undefined>;
  /** Revokes a key: both its records and a mark on its meter, in one transaction. Undefined: unknown, or revoked before. */
  revokeKey(organization: string, id: string, at: number): Promise<KeyRecord | undefined>;
}

/** What is known of a new key beside its record. */
export interface NewKey {
  /** Its hash under the pepper before: processes that do not know the new one yet find it there. */
  previous?: string | undefined;
  /** How many keys may be in use then, of the organization and of the member who made it. Absent: any number. */
  most?: KeyCounts | undefined;
}

/** What a change of a key is called in the audit log. */
type KeyChangeKind = "key_changed" | "key_rotated" | "key_disabled" | "key_enabled";

/** A change of a key at an instant (Unix milliseconds). */
export interface KeyChange {
  kind: KeyChangeKind;
  at: number;
  /** The key as it shall be, of the key as it is. Its revision is not up to this. It may have another hash. */
  of: (key: KeyRecord) => KeyRecord;
  /** Where it gets another hash: as of a new key (`NewKey`). */
  previous?: NewKey["previous"];
}

/** A key before and after a change. */
export interface ChangedKey {
  before: KeyRecord;
  after: KeyRecord;
}

/** Keys that are in use, which are neither revoked nor expired. */
export type KeyCounts = Record<"organization" | "member", number>;

/**
 * Why a key was not stored: what has all keys that it may have. `busy`: others were quicker again and again. `maker`: who
 * makes it has lost the right to.
 */
export type KeyRefusal = keyof KeyCounts | "busy" | "maker";

/** What a gateway asks of the accounts. */
export type CallAccounts = Pick<
  Accounts,
  "findPrincipal" | "emptyCache" | "createKey" | "rehashKey" | "key" | "keys" | "changeKey" | "revokeKey"
> &
  Projects;
