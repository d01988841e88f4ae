/**
 * What a meter answers to an admission, and to the request to hold more. Points are 10⁻¹⁸, instants Unix milliseconds.
 */
import type { ErrorKey } from "../../base/errors.ts";
import type { Hold, Ticket } from "./hold.ts";

/** What is left of the limits after an admission, for the vendors' rate-limit headers. */
export interface LimitStatus {
  requests?: { limit: number; remaining: number; resetAt: number };
  tokens?: { limit: number; remaining: number; resetAt: number };
  quota?: { limit: number; remaining: number; resetAt: number };
}

export type Admission = { admitted: true; limitStatus: LimitStatus; ticket: Ticket; rush?: Rush } | Refusal;

/** More calls came to the first item of a wallet than one item should take. */
export interface Rush {
  /** The item took no more writes. Else it carries too many holds. */
  throttled: boolean;
  /** This call is one of the few that ask for more shards. The process of any other learns how many there are by now. */
  asks: boolean;
}

/** The hold on the last shard that was asked, and that shard's answer. */
export interface Taken {
  hold: Hold;
  admission: Admission;
}

export interface Refusal {
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
  retryAfterSeconds?: number;
  limitStatus: LimitStatus;
  /** Where money is lacking: the free points and, of a wallet, the posted balance. Of a budget only the free points. */
  lack?: { free: bigint; posted?: bigint };
  /** Where a limit of the minute or day refused: which other calls the limit refuses too. */
  scope?: RefusalScope;
  /** Of `invalid_key`: the budgets of the organization were changed, and not the key. */
  isOfOrganization?: true;
  /** Another shard of the wallet may take the call. */
  tryOtherShard?: true;
  /** The wallet's number of shards, where the shard that was asked has been retired. */
  shards?: number;
  /** The meter was too busy. */
  rush?: Rush;
  /** The hold may be on the meter all the same: no write that takes it back was acknowledged. */
  holdMayStand?: true;
}

/** A limit of the minute or day that had no room for a call. It refuses every call that needs at least as much. */
export interface RefusalScope {
  limit: "rpm" | "tpm" | "tpd";
  /** It is the key's own limit. The plan's limit applies to all keys of the meter. */
  own: boolean;
  /** When the refused call would have had room. */
  until: number;
  /** What is left of the limits to every key in this scope. */
  limitStatus: LimitStatus;
}

/**
 * Thrown where an admission failed and its hold may be on the meter all the same. `cause` is the failure. A refusal
 * says the same by `holdMayStand`.
 */
export class HoldMayStand extends Error {
  constructor(cause: unknown) {
    super("an admission failed, and its hold may stand", { cause });
    this.name = "HoldMayStand";
  }
}

/** The answer to a request to hold more. Where it is granted, the new ticket takes the place of the old one. */
export type Extension =
  | { extended: true; ticket: Ticket }
  | { extended: false; error: ErrorKey; message?: string; tryOtherShard?: true };
