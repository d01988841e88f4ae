/** The table `ledger`: which invariant covers which field. */

import type { PriceVersion } from "../../../books/billing/pricing/price.ts";
import type { Usage } from "../../../books/billing/usage.ts";
import type { Entry, PlanFee, Seal, Sums } from "../../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import type { InvariantName } from "../invariants.ts";
import { rowsOf, type TableKinds, type Tie, type Ties, untied } from "./tie.ts";

const written: Tie = ["entries_are_as_written"];
const agreed: Tie = ["entries_agree", "entries_are_as_written"];
const summed: Tie = ["rollups_match_entries", "entries_are_as_written"];
const charged: Tie = ["charges_follow_prices", "entries_are_as_written"];

const ofUsage = rowsOf<Usage>();
const usage: Ties<Usage> = {
  ...ofUsage(summed, "input_tokens output_tokens cache_read_tokens cache_write_tokens"),
  ...ofUsage(summed, "generated_images video_seconds"),
  details: charged,
};

const ofEvent = rowsOf<UsageEvent>();
const event: Ties<UsageEvent> = {
  ...ofEvent(agreed, "version kind admitted_at ended_at"),
  ...ofEvent(summed, "id project key model list_points calls"),
  organization: ["books_balance", "entries_are_as_written"],
  ...ofEvent(["wallets_match_ledger", "quotas_match_ledger", "entries_are_as_written"], "mode meter"),
  price: {
    ...{ price: charged, discount_rate: charged },
    version: ["prices_resolve", "entries_are_as_written"],
  },
  usage,
  ...ofEvent(charged, "resolution source call_points own_fee"),
  cost_points: ["books_balance", "rollups_match_entries", "entries_are_as_written"],
  ...ofEvent(written, "shard user tags reported evidence period budget budgets day outcome"),
  ...ofEvent(written, "error flags provider attempts house route cache requested_model"),
};

const ofFee = rowsOf<PlanFee>();
const fee: Ties<PlanFee> = {
  ...ofFee(
    ["fees_are_posted", "entries_are_as_written"],
    "meter plan period starts_at ends_at unused_points price_points",
  ),
  ...ofFee(written, "order returns"),
  again: agreed,
};

/** An entry has its hash beside its own members. */
type HashedEntry = Entry & { h: unknown };
const ofEntry = rowsOf<HashedEntry>();
const entry: Ties<HashedEntry> = {
  ...ofEntry(agreed, "id kind organization debit credit at"),
  points: ["books_balance", "entries_are_as_written"],
  ...ofEntry(written, "posted_at of h"),
  ...{ event, fee },
};

/** A rollup's attributes are those of `columns` in edges/store/ledger/postings.ts. */
type RollupFields = Omit<Sums, "calls" | "cost_points" | "list_points"> &
  Record<"n" | "cost" | "list", bigint>;
const ofRollup = rowsOf<RollupFields>();
const rollupOf = (invariant: InvariantName): Ties<RollupFields> => ({
  ...ofRollup([invariant], "n cost list input_tokens output_tokens cache_read_tokens"),
  ...ofRollup([invariant], "cache_write_tokens generated_images video_seconds"),
});

const seal: Ties<Seal & { h: bigint }> = {
  h: written,
  day: untied(
    "a later day would lack its sums, which days_match_hours finds. Before the seal, reports add up hours",
  ),
  month: untied("as the day"),
  late: untied("it only tells a sealer that something came since it read"),
};

const ofPrice = rowsOf<PriceVersion>();
const price: Ties<PriceVersion> = {
  ...ofPrice(["prices_resolve"], "model version partial"),
  ...ofPrice(["prices_resolve", "charges_follow_prices"], "price discount_rate"),
  since: untied("it is when the first process met the price. Nothing goes by it but a list"),
};

export const ledger: TableKinds = {
  "usage entry, its correction": { at: /^L#[^#]+#[^$ ]+ \w+(#adj)?$/, ties: entry },
  "credit, plan fee": { at: /^L#[^#]+#\$ (credit|plan_fee)#/, ties: entry },
  "rollup of an hour": {
    at: /^R#[^ ]* H#/,
    ties: { ...rollupOf("rollups_match_entries"), h: written },
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
