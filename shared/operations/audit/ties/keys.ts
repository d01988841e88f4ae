/** The table `keys`: which invariant covers which field. */
import type {
  KeyRecord,
  Organization,
  PaidTime,
  PlanChoice,
  Subscription,
  Wallet,
} from "../../../accounts/account.ts";
import { saidOnce, shownNowhere, type TableKinds, type Ties, untied } from "./tie.ts";

const paid: Ties<PaidTime> = {
  from: ["fees_are_posted"],
  unused_points: ["fees_are_posted"],
  first_ends_at: saidOnce,
};

const next: Ties<PlanChoice & PaidTime> = {
  plan: ["fees_are_posted"],
  period: ["fees_are_posted"],
  from: ["fees_are_posted"],
  unused_points: ["fees_are_posted"],
  first_ends_at: saidOnce,
};

const subscription: Ties<Subscription> = {
  meter: ["quotas_match_ledger", "fees_are_posted"],
  plan: ["fees_are_posted"],
  period: ["fees_are_posted"],
  started_at: ["quotas_match_ledger"],
  restarts: ["quotas_match_ledger"],
  ends_at: saidOnce,
  next,
  paid,
};

const wallet: Ties<Wallet> = {
  meter: ["wallets_match_ledger"],
  shards: ["wallets_are_whole"],
  opened: ["wallets_are_whole"],
};

const organization: Ties<Organization> = {
  id: ["wallets_match_ledger", "credits_match_grants"],
  name: saidOnce,
  status: saidOnce,
  subscription,
  wallet,
  permissions: saidOnce,
  created_at: saidOnce,
  cache_epoch: shownNowhere,
};

const key: Ties<KeyRecord> = {
  id: saidOnce,
  hash: saidOnce,
  hash_version: saidOnce,
  organization: saidOnce,
  project: saidOnce,
  name: saidOnce,
  mode: saidOnce,
  permissions: saidOnce,
  limits: saidOnce,
  cache: saidOnce,
  status: saidOnce,
  last_four: saidOnce,
  created_by: saidOnce,
  created_at: saidOnce,
  expires_at: saidOnce,
};

export const keys: TableKinds = {
  organization: { at: /^O#[^#]+ -$/, ties: organization },
  "key, by hash": { at: /^K#[^ ]+ -$/, ties: { ...key, moved: saidOnce, moved_at: shownNowhere } },
  "key, by organization": { at: /^O#[^#]+ K#/, ties: key },
  "keys in use, of an organization and of a member": {
    at: /^O#[^#]+ N(#|$)/,
    ties: {
      keys: saidOnce,
      changes: untied("it only rises, so that no key is missed while others are counted"),
    },
  },
};
