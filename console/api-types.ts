/**
 * What the console's API answers, as the browser reads it. Instants are RFC 3339, points and amounts are decimal
 * strings. The operations in `shared/edges/console/operations` make these.
 */
import type { KeyDefaults } from "../shared/books/accounts/key-defaults.ts";
import type { Right } from "../shared/people/identity/roles.ts";
import type { Role } from "../shared/people/identity/user.ts";

export type { Right, Role };

export interface List<Item> {
  object: "list";
  data: Item[];
  has_more: boolean;
  last_id: string | null;
}

export interface Tokens {
  access_token: string;
  token_type: string;
  /** Seconds. */
  expires_in: number;
  /** Whose they are. */
  user: { id: string };
  /** What they are for. */
  organization: { id: string };
  /** Where a sign-in or a sign-up had an invitation. */
  invitation_accepted?: boolean;
}

interface OrganizationOfMine {
  id: string;
  name: string;
  role: Role;
}

/** `GET /api/v1/account`. */
export interface Account {
  /** The name is empty where the user has given none. */
  user: { id: string; name: string; locale: string; phone_last_four: string; created_at: string };
  organization: { id: string; name: string; status: "active" | "frozen"; keys_make_managers: boolean };
  organizations: OrganizationOfMine[];
  role: Role;
  rights: Right[];
  plan: PlanTime | null;
  wallet: { balance_points: string } | null;
}

/** The plan that runs. `next`: the one that takes over, up to `ends_at`. */
export interface PlanTime {
  plan: string;
  period: PlanPeriod;
  /** Null: it renews by itself. */
  ends_at: string | null;
  next: { plan: string; period: PlanPeriod; from: string } | null;
}

export type PlanPeriod = "monthly" | "quarterly" | "yearly";

/** `GET /api/v1/auth/sessions`. */
export interface SessionSeen {
  id: string;
  label: string;
  ip: string;
  created_at: string;
  seen_at: string;
  current: boolean;
}

export type BillingMode = "subscription" | "payg";
export type BudgetPeriod = "day" | "month" | "total";

interface KeyLimits {
  rpm?: number;
  tpm?: number;
  tpd?: number;
  max_concurrency?: number;
  budget_points?: string;
  budget_period?: BudgetPeriod;
}

/** What is spent of a key's budget. */
interface BudgetState {
  period: BudgetPeriod;
  spent_points: string;
  held_points: string;
  left_points: string;
  resets_at: string | null;
}

export interface ApiKey {
  id: string;
  /** The secret. Only in the answer that makes the key. */
  key?: string;
  name: string;
  billing_mode: BillingMode;
  /** Empty for a key of the whole organization. */
  project_id: string;
  permissions: string[];
  limits: KeyLimits | null;
  defaults: KeyDefaults | null;
  budget: BudgetState | null;
  status: "active" | "revoked";
  last_four: string;
  created_at: string;
  expires_at: string | null;
  /** Null for a key that no member made with a session. */
  created_by: { id: string; name: string } | null;
  /** The key that made it. */
  created_by_key: string | null;
  /** Who made it, or the first key of the chain that made it. */
  descends_from: { id: string; name: string } | null;
}

/** `GET /api/v1/members/{id}/keys`. */
export interface MemberKey extends ApiKey {
  /** It manages keys, and ends when the member is removed. */
  ends_with_member: boolean;
}

/** Tokens by what they are billed as, and calls with their cost. Input leaves out what a cache read or wrote. */
export interface Figures {
  cost_points: string;
  list_points: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  generated_images: number;
  video_seconds: number;
}

export type SeriesBy = "model" | "project" | "key" | "user";
export type SeriesStep = "hour" | "day" | "month";

/** `GET /api/v1/usage/series`. A step in which nothing was used has no point. */
export interface UsageSeries {
  from: string;
  to: string;
  by: SeriesBy;
  step: SeriesStep;
  /** The names of a point's members, in their order. The first is `at`. */
  columns: string[];
  series: UsageLine[];
  totals: Figures;
}

export interface UsageLine {
  /** Null: no user was named, or the usage is older than the names of keys. */
  name: string | null;
  label: string | null;
  last_four?: string;
  points: (string | number)[][];
  totals: Figures;
}

/** How much of a limit is used; null stands for no limit. `free_at`: when the next one fits, null where it does now. */
export interface LimitUse {
  used: number;
  limit: number | null;
  resets_at: string | null;
  free_at: string | null;
}

/** `GET /api/v1/usage/summary`. */
export interface UsageSummary {
  at: string;
  wallet: { balance_points: string; held_points: string } | null;
  subscription: (PlanTime & { quota: LimitUse | null }) | null;
  in_flight: number;
  today: Figures;
  /** Both until the same time of day. */
  compared: { until: string; today: Figures; yesterday: Figures };
  /** Null where the caller sees only own keys. */
  pace: { points_per_day: string } | null;
  /** Null where nothing is spent. */
  days_left: number | null;
  alerts: ({ kind: "low_balance"; days_left: number } | { kind: "plan_ends" | "plan_ended"; at: string })[];
}

/** `GET /api/v1/limits`. */
export interface Limits {
  at: string;
  in_flight: number;
  subscription: PlanUse | null;
  wallet: {
    balance_points: string;
    held_points: string;
    free_points: string;
    in_flight: number;
    open_tasks: number;
  } | null;
  /** Those that have limits of their own. */
  keys: KeyUse[];
}

/** The limits are null where no paid period runs: then every call is refused. */
export interface PlanUse extends PlanTime {
  rpm: LimitUse | null;
  tpm: LimitUse | null;
  tpd: LimitUse | null;
  quota: LimitUse | null;
  /** Null too where the plan does not bound it. */
  day_points: PointsUse | null;
  in_flight: number;
  open_tasks: number;
}

export interface KeyUse {
  id: string;
  name: string;
  last_four: string;
  billing_mode: BillingMode;
  rpm?: LimitUse;
  tpm?: LimitUse;
  tpd?: LimitUse;
  in_flight?: { used: number; limit: number };
  budget: PointsUse | null;
}

/** What is used of a bound in points. */
type PointsUse = BudgetState & { limit_points: string };

/** `GET /api/v1/models`, as far as the console reads it. */
export interface Model {
  id: string;
  display_name: string;
  owned_by: string;
  aliases: string[];
  /** Unix seconds. */
  created: number;
  /** The largest input and output, in tokens; 0 where it is not charged by tokens. */
  context_tokens: number;
  output_tokens: number;
  capabilities: string[];
  /** Those that its providers speak. */
  protocols: string[];
  permission: string | null;
  /** As the catalog has it (model-price.ts). */
  price: unknown;
  /** Multiplies the price. */
  discount_rate: string;
  price_source: { source: string; as_of: string } | null;
  /** Those whose keys may use it. */
  plans: string[];
  /** Who may answer, whom is asked first first. */
  providers: string[];
  /** What a message may contain beside text. */
  inputs: string[];
  reasoning_efforts: string[];
}

/** `GET /api/v1/models/{model}/routes`. Null: nothing was measured in 15 minutes. */
export interface ModelProviders {
  at: string;
  data: {
    provider: string;
    asked: "first" | "later";
    state: "good" | "slow" | "flaky" | "limited" | "open" | null;
    uptime_15m: number | null;
    first_byte_ms: { p50: number | null; p95: number | null };
    tokens_per_second: number | null;
  }[];
}
