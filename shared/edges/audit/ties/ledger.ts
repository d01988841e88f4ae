/** The table `ledger`: which invariant covers which field. */
import type { PriceVersion } from "../../../books/billing/pricing/price.ts";
import type { Entry, PlanFee, Seal, Sums } from "../../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import type { InvariantName } from "../invariants.ts";
import { type TableKinds, type Ties, untied } from "./tie.ts";

const event: Ties<UsageEvent> = {
  call_points: ["charges_follow_prices", "entries_are_as_written"],
  day: ["entries_are_as_written"],
  version: ["entries_agree", "entries_are_as_written"],
  id: ["rollups_match_entries", "entries_are_as_written"],
  kind: ["entries_agree", "entries_are_as_written"],
  organization: ["books_balance", "entries_are_as_written"],
  project: ["rollups_match_entries", "entries_are_as_written"],
  key: ["rollups_match_entries", "entries_are_as_written"],
  model: ["rollups_match_entries", "entries_are_as_written"],
  mode: ["wallets_match_ledger", "quotas_match_ledger", "entries_are_as_written"],
  meter: ["wallets_match_ledger", "quotas_match_ledger", "entries_are_as_written"],
  shard: ["entries_are_as_written"],
  price: {
    price: ["charges_follow_prices", "entries_are_as_written"],
    discount_rate: ["charges_follow_prices", "entries_are_as_written"],
    version: ["prices_resolve", "entries_are_as_written"],
  },
  user: ["entries_are_as_written"],
  admitted_at: ["entries_agree", "entries_are_as_written"],
  ended_at: ["entries_agree", "entries_are_as_written"],
  usage: {
    input_tokens: ["rollups_match_entries", "entries_are_as_written"],
    output_tokens: ["rollups_match_entries", "entries_are_as_written"],
    cache_read_tokens: ["rollups_match_entries", "entries_are_as_written"],
    cache_write_tokens: ["rollups_match_entries", "entries_are_as_written"],
    generated_images: ["rollups_match_entries", "entries_are_as_written"],
    video_seconds: ["rollups_match_entries", "entries_are_as_written"],
    details: ["charges_follow_prices", "entries_are_as_written"],
  },
  reported: ["entries_are_as_written"],
  resolution: ["charges_follow_prices", "entries_are_as_written"],
  cost_points: ["books_balance", "rollups_match_entries", "entries_are_as_written"],
  list_points: ["rollups_match_entries", "entries_are_as_written"],
  calls: ["rollups_match_entries", "entries_are_as_written"],
  evidence: ["entries_are_as_written"],
  source: ["charges_follow_prices", "entries_are_as_written"],
  period: ["entries_are_as_written"],
  budget: ["entries_are_as_written"],
  outcome: ["entries_are_as_written"],
  error: ["entries_are_as_written"],
  flags: ["entries_are_as_written"],
  provider: ["entries_are_as_written"],
  attempts: ["entries_are_as_written"],
  route: ["entries_are_as_written"],
  cache: ["entries_are_as_written"],
  requested_model: ["entries_are_as_written"],
};

const fee: Ties<PlanFee> = {
  again: ["entries_agree", "entries_are_as_written"],
  order: ["entries_are_as_written"],
  returns: ["entries_are_as_written"],
  meter: ["fees_are_posted", "entries_are_as_written"],
  plan: ["fees_are_posted", "entries_are_as_written"],
  period: ["fees_are_posted", "entries_are_as_written"],
  starts_at: ["fees_are_posted", "entries_are_as_written"],
  ends_at: ["fees_are_posted", "entries_are_as_written"],
  unused_points: ["fees_are_posted", "entries_are_as_written"],
  price_points: ["fees_are_posted", "entries_are_as_written"],
};

/** An entry has its hash beside its own members. */
const entry: Ties<Entry & { h: unknown }> = {
  of: ["entries_are_as_written"],
  id: ["entries_agree", "entries_are_as_written"],
  kind: ["entries_agree", "entries_are_as_written"],
  organization: ["entries_agree", "entries_are_as_written"],
  debit: ["entries_agree", "entries_are_as_written"],
  credit: ["entries_agree", "entries_are_as_written"],
  points: ["books_balance", "entries_are_as_written"],
  at: ["entries_agree", "entries_are_as_written"],
  posted_at: ["entries_are_as_written"],
  event,
  fee,
  h: ["entries_are_as_written"],
};

/** A rollup's attributes are those of `columns` in edges/store/ledger/postings.ts. */
type RollupFields = Omit<Sums, "calls" | "cost_points" | "list_points"> &
  Record<"n" | "cost" | "list", bigint>;

const rollupOf = (invariant: InvariantName): Ties<RollupFields> => ({
  n: [invariant],
  cost: [invariant],
  list: [invariant],
  input_tokens: [invariant],
  output_tokens: [invariant],
  cache_read_tokens: [invariant],
  cache_write_tokens: [invariant],
  generated_images: [invariant],
  video_seconds: [invariant],
});

const seal: Ties<Seal & { h: bigint }> = {
  h: ["entries_are_as_written"],
  day: untied(
    "a later day would lack its sums, which days_match_hours finds. Before the seal, reports add up hours",
  ),
  month: untied("as the day"),
  late: untied("it only tells a sealer that something came since it read"),
};

const price: Ties<PriceVersion> = {
  model: ["prices_resolve"],
  version: ["prices_resolve"],
  price: ["prices_resolve", "charges_follow_prices"],
  discount_rate: ["prices_resolve", "charges_follow_prices"],
  since: untied("it is when the first process met the price. Nothing goes by it but a list"),
  partial: ["prices_resolve"],
};

export const ledger: TableKinds = {
  "usage entry, its correction": { at: /^L#[^#]+#[^$ ]+ \w+(#adj)?$/, ties: entry },
  "credit, plan fee": { at: /^L#[^#]+#\$ (credit|plan_fee)#/, ties: entry },
  "rollup of an hour": {
    at: /^R#[^ ]* H#/,
    ties: { ...rollupOf("rollups_match_entries"), h: ["entries_are_as_written"] },
  },
  "rollup of a day": { at: /^R#[^ ]* D#/, ties: rollupOf("days_match_hours") },
  "rollup of a month": { at: /^R#[^ ]* M#/, ties: rollupOf("months_match_days") },
  seal: {
    at: /^R#[^ ]* S$/,
    ties: seal,
    lost: "reports add up hours without it, and the next pass seals anew. One with the hashes of fees is missed",
  },
  price: { at: /^P#history /, ties: price },
};
