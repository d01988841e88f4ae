/** The table `ledger`: which invariant covers which field. */
import type { PriceVersion } from "../../../billing/pricing/price.ts";
import type { Entry, PlanFee, Seal, Sums } from "../../../ledger/ledger.ts";
import type { UsageEvent } from "../../../ledger/usage-event.ts";
import { saidOnce, shownNowhere, type TableKinds, type Ties, untied } from "./tie.ts";

const event: Ties<UsageEvent> = {
  version: shownNowhere,
  id: ["rollups_match_entries"],
  kind: saidOnce,
  organization: ["books_balance"],
  project: ["rollups_match_entries"],
  key: ["rollups_match_entries"],
  model: ["rollups_match_entries"],
  mode: ["wallets_match_ledger", "quotas_match_ledger"],
  meter: ["wallets_match_ledger", "quotas_match_ledger"],
  shard: shownNowhere,
  price: {
    price: saidOnce,
    discount_rate: saidOnce,
    version: ["prices_resolve"],
  },
  user: saidOnce,
  admitted_at: ["quotas_match_ledger"],
  ended_at: saidOnce,
  usage: {
    input_tokens: ["rollups_match_entries"],
    output_tokens: ["rollups_match_entries"],
    cache_read_tokens: ["rollups_match_entries"],
    cache_write_tokens: ["rollups_match_entries"],
    generated_images: ["rollups_match_entries"],
    video_seconds: ["rollups_match_entries"],
    details: saidOnce,
  },
  reported: saidOnce,
  resolution: saidOnce,
  cost_points: ["books_balance", "rollups_match_entries"],
  list_points: ["rollups_match_entries"],
  calls: ["rollups_match_entries"],
  evidence: saidOnce,
  source: saidOnce,
  period: saidOnce,
  budget: saidOnce,
  outcome: saidOnce,
  flags: saidOnce,
  provider: saidOnce,
  attempts: saidOnce,
  route: saidOnce,
  cache: saidOnce,
  requested_model: saidOnce,
};

const fee: Ties<PlanFee> = {
  meter: ["fees_are_posted"],
  plan: ["fees_are_posted"],
  period: ["fees_are_posted"],
  starts_at: ["fees_are_posted"],
  ends_at: saidOnce,
  unused_points: ["fees_are_posted"],
  price_points: ["fees_are_posted"],
};

const entry: Ties<Entry> = {
  id: ["rollups_match_entries", "orders_match_ledger"],
  kind: ["books_balance"],
  organization: ["books_balance"],
  debit: ["books_balance"],
  credit: ["books_balance"],
  points: ["books_balance"],
  at: saidOnce,
  posted_at: saidOnce,
  event,
  fee,
};

/** A rollup's attributes are those of `columns` in store/ledger/postings.ts. */
const rollup: Ties<
  Omit<Sums, "calls" | "cost_points" | "list_points"> & Record<"n" | "cost" | "list", bigint>
> = {
  n: ["rollups_match_entries"],
  cost: ["rollups_match_entries"],
  list: ["rollups_match_entries"],
  input_tokens: ["rollups_match_entries"],
  output_tokens: ["rollups_match_entries"],
  cache_read_tokens: ["rollups_match_entries"],
  cache_write_tokens: ["rollups_match_entries"],
  generated_images: ["rollups_match_entries"],
  video_seconds: ["rollups_match_entries"],
};

const seal: Ties<Seal> = {
  day: ["days_match_hours"],
  month: ["months_match_days"],
  late: untied("it only tells a sealer that something came since it read"),
};

const price: Ties<PriceVersion> = {
  model: ["prices_resolve"],
  version: ["prices_resolve"],
  price: ["prices_resolve"],
  discount_rate: ["prices_resolve"],
  since: saidOnce,
  partial: saidOnce,
};

export const ledger: TableKinds = {
  "usage entry, its correction": { at: /^L#[^#]+#[^$ ]+ \w+(#adj)?$/, ties: entry },
  "credit, plan fee": { at: /^L#[^#]+#\$ (credit|plan_fee)#/, ties: entry },
  rollup: { at: /^R#[^ ]* [HDM]#/, ties: rollup },
  seal: { at: /^R#[^ ]* S$/, ties: seal },
  price: { at: /^P#history /, ties: price },
};
