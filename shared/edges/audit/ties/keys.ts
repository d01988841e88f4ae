/** The table `keys`: which invariant covers which field. */
import type {
  KeyRecord,
  Organization,
  PaidTime,
  PlanChoice,
  Subscription,
  Wallet,
} from "../../../books/accounts/account.ts";
import { saidOnce, shownNowhere, type TableKinds, type Ties, untied } from "./tie.ts";

const paid: Ties<PaidTime> = {
  from: ["fees_are_posted", "accounts_agree"],
  unused_points: ["fees_are_posted", "accounts_agree"],
  first_ends_at: ["fees_are_posted", "accounts_agree"],
};

const next: Ties<PlanChoice & PaidTime> = {
  plan: ["fees_are_posted"],
  period: ["fees_are_posted"],
  from: ["fees_are_posted", "accounts_agree"],
  unused_points: ["fees_are_posted", "accounts_agree"],
  first_ends_at: ["fees_are_posted", "accounts_agree"],
};

const subscription: Ties<Subscription> = {
  returned: ["fees_are_posted"],
  meter: ["meters_are_whole", "quotas_match_ledger", "fees_are_posted"],
  plan: ["fees_are_posted"],
  period: ["fees_are_posted"],
  started_at: ["quotas_match_ledger", "fees_are_posted"],
  restarts: untied(
    "a restart that moves a call to another month fails quotas_match_ledger; others change nothing",
  ),
  ends_at: untied("an operator may set any end, and a plan that ends earlier only ends earlier"),
  next,
  paid,
};

const wallet: Ties<Wallet> = {
  meter: ["meters_are_whole", "wallets_match_ledger"],
  shards: ["meters_are_whole"],
  opened: ["meters_are_whole"],
};

const organization: Ties<Organization> = {
  id: ["accounts_agree"],
  name: saidOnce,
  status: ["meters_are_whole"],
  subscription,
  wallet,
  permissions: saidOnce,
  created_at: saidOnce,
  cache_epoch: shownNowhere,
};

const key: Ties<KeyRecord> = {
  parent: ["keys_agree"],
  root: ["keys_agree"],
  id: ["keys_agree"],
  hash: ["keys_agree"],
  hash_version: ["keys_agree"],
  organization: ["keys_agree"],
  project: ["keys_agree"],
  name: ["keys_agree"],
  mode: ["keys_agree"],
  permissions: ["keys_agree"],
  limits: ["keys_agree"],
  cache: ["keys_agree"],
  defaults: ["keys_agree"],
  status: ["keys_agree"],
  last_four: ["keys_agree"],
  created_by: ["keys_agree"],
  created_at: ["keys_agree"],
  expires_at: ["keys_agree"],
};

export const keys: TableKinds = {
  organization: { at: /^O#[^#]+ -$/, ties: organization },
  "key, by hash": { at: /^K#.+ -$/, ties: { ...key, moved: ["keys_agree"], moved_at: shownNowhere } },
  "key, by organization": { at: /^O#[^#]+ K#/, ties: key },
  "keys in use, of an organization and of a member": {
    at: /^O#[^#]+ N(#|$)/,
    ties: {
      keys: untied(
        "a count that is too high is mended when it is full; keys_agree names one that is too low",
      ),
      changes: untied("it only rises, so that no key is missed while others are counted"),
    },
  },
};
