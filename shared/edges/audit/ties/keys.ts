/** The table `keys`: which invariant covers which field. */
import type * as Account from "../../../books/accounts/account.ts";
import type { SignedInProgram } from "../../../books/accounts/program.ts";
import type { ProjectRecord } from "../../../books/accounts/project.ts";
import { rowsOf, saidOnce, shownNowhere, type TableKinds, type Tie, type Ties, untied } from "./tie.ts";

const posted: Tie = ["fees_are_posted"];
const agreed: Tie = ["keys_agree"];

const ofPaidTime = rowsOf<Account.PaidTime>();
const paid = ofPaidTime(["fees_are_posted", "accounts_agree"], "from unused_points first_ends_at");

const ofSubscription = rowsOf<Account.Subscription>();
const subscription: Ties<Account.Subscription> = {
  ...ofSubscription(posted, "returned plan period"),
  meter: ["meters_are_whole", "quotas_match_ledger", "fees_are_posted"],
  started_at: ["quotas_match_ledger", "fees_are_posted"],
  restarts: untied(
    "a restart that moves a call to another month fails quotas_match_ledger; others change nothing",
  ),
  ends_at: untied("an operator may set any end, and a plan that ends earlier only ends earlier"),
  next: { plan: posted, period: posted, ...paid },
  paid,
};

const ofOrganization = rowsOf<Account.Organization>();
const organization: Ties<Account.Organization> = {
  id: ["accounts_agree"],
  ...ofOrganization(saidOnce, "name permissions created_at"),
  status: ["meters_are_whole"],
  subscription,
  wallet: {
    meter: ["meters_are_whole", "wallets_match_ledger"],
    shards: ["meters_are_whole"],
    opened: ["meters_are_whole"],
    spread: untied("it only says where later calls are booked, and each event says it for itself"),
  },
  projects: {
    records: agreed,
    archived: agreed,
  },
  budgets: untied("limits of what later calls may spend, and no charge"),
  budgets_revision: ["meters_are_whole"],
  policies: untied("rules of what later calls may do, and no charge"),
  provider_keys: untied("whose keys later calls go with; each entry says it for itself"),
  wallet_thresholds: untied("when somebody is told that a wallet is low, and no charge"),
  cache_epoch: shownNowhere,
  sign_on: untied("how people may sign in, and no charge; the audit log has each change"),
  sign_on_since: untied("which sessions of people are over, and no charge"),
  sign_on_removed: untied("whose groups give projects, and no charge; the audit log has each change"),
};

const ofKey = rowsOf<Account.KeyRecord>();
const key: Ties<Account.KeyRecord> = {
  old: rowsOf<Account.OldSecret>()(agreed, "hash hash_version shown_to until"),
  ...ofKey(agreed, "id hash hash_version organization project name mode permissions limits cache"),
  program: rowsOf<SignedInProgram>()(
    agreed,
    "request client machine ip generation refreshed_at version sign_on connection_at",
  ),
  ...ofKey(
    agreed,
    "defaults policy status disabled_by shown_to last_four parent root created_by created_at expires_at first_until budget_from revision",
  ),
};

const ofProject = rowsOf<ProjectRecord>();
const project: Ties<ProjectRecord> = {
  ...ofProject(agreed, "organization project"),
  ...ofProject(saidOnce, "name members created_by"),
  created_at: shownNowhere,
  revision: untied("a change asks for the one that it has read, whatever that is"),
};

export const keys: TableKinds = {
  organization: { at: /^O#[^#]+ -$/, ties: organization },
  "key, by hash": {
    at: /^K#.+ -$/,
    ties: { ...key, moved: agreed, moved_at: shownNowhere, rotated: agreed, until: shownNowhere },
  },
  "key, by organization": { at: /^O#[^#]+ K#/, ties: key },
  project: { at: /^O#[^#]+ P#/, ties: project },
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
