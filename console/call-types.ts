/** What the console's API answers about calls, as the browser reads it (api-types.ts). */
import type { BillingMode } from "./api-types.ts";
import type { Locale } from "./locale.ts";

/** Who asked for what, and when: the same in a list of calls and in a receipt. */
interface CallFacts {
  id: string;
  created_at: string;
  ended_at: string | null;
  kind: string | null;
  model: string | null;
  requested_model?: string;
  project_id: string;
  key_id: string;
  user: string | null;
  /** Null where the call was refused, as kind and model may be. */
  billing_mode: BillingMode | null;
  error?: CallError | null;
}

/** Why a call failed or was refused. Lists have no advice. */
export interface CallError {
  code: number;
  /** Null where nobody answered its client. */
  status: number | null;
  message: string;
  advice?: Record<Locale, string> | null;
}

export interface Call extends CallFacts {
  outcome: "completed" | "truncated" | "failed" | "refused";
  provider: string | null;
  usage: Record<string, number>;
  cost_points: string;
  list_points: string;
  corrected: boolean;
}

export interface ReceiptLine {
  /** What is counted: `input`, `cache_read`, `output` and so on. */
  dimension: string;
  quantity: number;
  unit_price: string;
  /** How many the unit price is for. */
  per: number;
  points: string;
}

export interface Priced {
  usage: Record<string, unknown>;
  reported?: Record<string, unknown>;
  evidence: string;
  calls: number;
  tiers: { side: string; basis: string; tokens: number; from: number; up_to: number | null }[];
  ways: { way: string; value: string; multiplier: string | null }[];
  lines: ReceiptLine[];
  list_points: string;
  cost_points: string;
}

interface LedgerEntry {
  id: string;
  kind: string;
  points: string;
  at: string;
  debit: string;
  credit: string;
}

/** `GET /api/v1/requests/{id}`. A pending or repeated call has no figures. */
export interface Receipt extends CallFacts, Partial<Priced> {
  status: "settled" | "pending" | "repeated" | "refused";
  outcome?: Call["outcome"];
  provider?: string | null;
  route?: {
    attempts: { model?: string; provider: string; outcome: string; status?: number; ms: number }[];
  } | null;
  price?: { version: string };
  discount_rate?: string;
  reason?: string;
  held_points?: string;
  repeats?: string;
  correction?: { estimate: Priced; difference_points: string } | null;
  entries: LedgerEntry[];
}
