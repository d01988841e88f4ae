/**
 * The meter: one item per subscription, or per shard of a wallet, that carries the counters and one
 * small attribute per call in flight. Admission is one conditional write on it (design §3).
 */

import type { BillingMode, KeyLimits, KeyRecord } from "../accounts/account.ts";
import { formatPoints } from "../billing/points.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import type { ErrorKey } from "../errors.ts";
import { timeOf } from "../platform/id.ts";
import { type BudgetUse, budgetCounter, budgetOf } from "./budget.ts";

/** What an admission asks for. Amounts are 10⁻¹⁸ points. */
export interface Hold {
  request: string;
  key: string;
  mode: BillingMode;
  meter: string;
  shard: number;
  at: number;
  /** Which of its call's attempts to be held this is, counted from 1; the first where it does not say. */
  attempt?: number;
  /** Pay-as-you-go: the maximum cost at the pinned price. */
  points: bigint;
  /** Subscriptions, where the key has a budget: the maximum cost at list price. */
  list_points?: bigint;
  /** Subscriptions: the estimate of tokens reserved in the minute and day windows. */
  tokens: number;
  /** Subscriptions: the limits to hold the call against; null on pay-as-you-go. */
  terms: Terms | null;
  /**
   * The key's own limits, where it has any. Calls of a key with a cap on calls in flight or a budget must all be
   * on one shard, or the limit would be each shard's.
   */
  limits?: KeyLimits;
  /**
   * A count of tokens: one request of the subscription's minute and nothing else. It leaves no hold behind,
   * so it is neither intended nor settled.
   */
  counting?: true;
}

/** The limits of a plan at one instant. `null` is unlimited. */
export interface Terms {
  quota: number;
  rpm: number | null;
  tpm: number | null;
  tpd: number | null;
  /** The quota month the call falls in: its first day (`20261121`) and its end, Unix milliseconds. */
  period: { id: string; ends_at: number };
}

/** What is left after an admission, for the vendors' rate-limit headers. Resets are Unix milliseconds. */
export interface Standing {
  requests?: { limit: number; remaining: number; reset_at: number };
  tokens?: { limit: number; remaining: number; reset_at: number };
  quota?: { limit: number; remaining: number; reset_at: number };
}

export type Admission =
  | { admitted: true; standing: Standing }
  | {
      admitted: false;
      error: Extract<
        ErrorKey,
        | "insufficient_balance"
        | "rate_limited"
        | "quota_exhausted"
        | "account_frozen"
        | "invalid_key"
        | "global_rate_limited"
      >;
      message?: string;
      retry_after_seconds?: number;
      standing: Standing;
      /** Where money is lacking, 10⁻¹⁸ points: what is free, and of a wallet also what is posted; a budget says only what is free. */
      lack?: { free: bigint; posted?: bigint };
      /** Where a limit of the minute or day refused: whom else it refuses. */
      bar?: Bar;
      /** Another shard of the wallet may take the call. */
      elsewhere?: true;
      /** How many shards the wallet has, where the one that was asked is none of them any more. */
      shards?: number;
    };

/** A limit of the minute or day that had no room for a call, and has none for another that needs as much. */
export interface Bar {
  limit: "rpm" | "tpm" | "tpd";
  /** It is the key's own; else the plan's, which binds all keys of the meter. */
  own: boolean;
  /** When the refused call would have fitted, Unix milliseconds. */
  until: number;
  /** What is left to all whom it binds. */
  standing: Standing;
}

export type Refusal = Extract<Admission, { admitted: false }>;

/** Whether a hold covers more now. `elsewhere`: other shards of the wallet may have what this one lacks. */
export type Extension =
  | { extended: true }
  | { extended: false; error: ErrorKey; message?: string; elsewhere?: true };

/** How a held call ended. */
export interface Settlement {
  /** What is charged, 10⁻¹⁸ points; 0 for subscriptions. */
  points: bigint;
  /** What the call is worth at list price, 10⁻¹⁸ points: what a subscription's key with a budget spends. */
  list_points: bigint;
  /** Tokens really used, to correct the reservation with. */
  tokens: number;
  /** The call is given back to quota and request windows: it produced nothing billable. */
  give_back: boolean;
  at: number;
}

/** What the sweeper needs to bill a call whose process died: written beside the hold, before dispatch. */
export interface Intent {
  request: string;
  kind: "chat" | "embedding" | "image" | "video";
  organization: string;
  project: string;
  key: string;
  model: string;
  mode: BillingMode;
  meter: string;
  shard: number;
  price: PinnedPrice;
  /** Estimated input tokens: what a call that died is charged for. */
  input_tokens: number;
  /** What was held at first, a decimal string, for the receipt. What is held stands on the meter. */
  hold_points: string;
  /** Subscriptions: the quota month the call counts in; else "". */
  period: string;
  user: string | null;
  /** Of a call with an idempotency key: the key it must have to be sent. */
  scope?: string;
}

/** The intent of a hold: what the hold does not say of its call comes from the key and from the call itself. */
export function intentFor(
  hold: Hold,
  { organization, project }: Pick<KeyRecord, "organization" | "project">,
  call: Pick<Intent, "kind" | "model" | "price" | "input_tokens" | "user" | "scope">,
): Intent {
  return {
    ...call,
    request: hold.request,
    organization,
    project,
    key: hold.key,
    mode: hold.mode,
    meter: hold.meter,
    shard: hold.shard,
    hold_points: formatPoints(hold.points),
    period: hold.terms?.period.id ?? "",
  };
}

/** The store of meters. Throws `ThrottledError` (platform/aws.ts) when DynamoDB refuses after retries. */
export interface Meters {
  /**
   * Takes the hold if every limit allows it: one conditional write, and another that takes back what is over a limit
   * of the minute or day. Repeating it is harmless.
   */
  admit(hold: Hold): Promise<Admission>;
  /**
   * Finds the shard that has what the hold needs, moving it there from the wallet's other shards if none has;
   * the hold is still to be taken. `at` says which shard it must be. Refuses when the whole wallet has not,
   * or when others were quicker again and again.
   */
  gather(hold: Hold, at?: number): Promise<{ shard: number } | Refusal>;
  /**
   * Writes the intent, again for each shard tried: `attempt` counts them from 1, and one that comes late changes
   * nothing any more. In parallel with `admit`, before anything is sent upstream.
   */
  intend(intent: Intent, attempt?: number): Promise<void>;
  /**
   * Raises a hold to `points` if the shard has the difference: exactly one conditional write. Repeating it is
   * harmless. The hold itself is the caller's to bring up to date; its settlement compares it.
   */
  extend(hold: Hold, points: bigint): Promise<Extension>;
  /** What a call was meant to be; undefined for one that never was, and days later. */
  intent(request: string): Promise<Intent | undefined>;
  /**
   * After an admission that came to nothing: its hold goes back, or, where the meter does not answer, its intent
   * is barred, without which a sweeper gives the hold back. Does what can be done, and never rejects.
   */
  abandon(hold: Hold): Promise<void>;
  /** Whether a hold that was abandoned may stand all the same, or be billed: neither write was taken, or a sweep was quicker. */
  isInDoubt(hold: Hold): boolean;
  /** Settles a hold exactly once: false when the hold is gone already. */
  settle(hold: Hold, settlement: Settlement): Promise<boolean>;
  /** Points not yet spent over all shards: granted − used (contract §2.5). Strongly consistent. */
  balance(meter: string): Promise<bigint>;
  /** What keys have spent and hold of their budgets, by `budgetName`; none where nothing was. One strongly consistent read. */
  budgets(meter: string): Promise<Map<string, BudgetUse>>;
}

/**
 * What a meter item knows a key with limits of its own by. Ten characters of chance tell the keys of one meter
 * apart, and keep the item small.
 */
export function limitedName(key: string): string {
  return `k${key.slice(-10)}`;
}

/** The counter of a key's budget among those of its meter. */
export function budgetName(key: string, counter: string): string {
  return `${limitedName(key)}:${counter}`;
}

/** What a hold takes of its key's budget, and from which counter. */
export interface BudgetShare {
  /** As `budgetName` has it. */
  counter: string;
  /** 10⁻¹⁸ points. */
  points: bigint;
}

/** The share of a hold whose key has a budget. It is of the period in which the call was admitted, however late it ends. */
export function budgetShare({
  key,
  request,
  mode,
  points,
  list_points,
  limits,
}: Hold): BudgetShare | undefined {
  const budget = budgetOf(limits);
  if (!budget) return undefined;
  const counter = budgetName(key, budgetCounter(budget.period, timeOf(request)));
  return { counter, points: mode === "payg" ? points : (list_points ?? 0n) };
}
