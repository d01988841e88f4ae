/** The table `accounts`: which invariant covers which field. */
import type { AuditEntry } from "../../../people/identity/audit.ts";
import type { Membership, User } from "../../../people/identity/user.ts";
import type { Invoice } from "../../../people/invoices/invoice.ts";
import type {
  AutomaticCharge,
  Doubt,
  Order,
  PaidFacts,
  PlanOrder,
  Refund,
} from "../../../people/payments/order.ts";
import {
  allPassing,
  passing,
  rowsOf,
  saidOnce,
  shownNowhere,
  type TableKinds,
  type Tie,
  type Ties,
  untied,
} from "./tie.ts";

const evidence: Tie = ["orders_match_evidence"];
const booked: Tie = ["orders_match_ledger", "orders_match_evidence"];
const refunded: Tie = ["refunds_match_ledger"];
const invoiced: Tie = ["invoices_match_orders"];
const agreed: Tie = ["members_agree"];
const due = untied(
  "it says when the reconciler looks again, and a wrong one rings the alarm of overdue orders",
);

const ofPlan = rowsOf<PlanOrder>();
const plan: Ties<PlanOrder> = ofPlan(evidence, "starts_at ends_at action from plan period");

const ofPayment = rowsOf<PaidFacts>();
const paid: Ties<PaidFacts> = {
  ...ofPayment(evidence, "transaction currency at via"),
  amount: booked,
  returned: ["orders_match_ledger"],
};

const ofDoubt = rowsOf<Doubt>();
const doubt: Ties<Doubt> = ofDoubt(saidOnce, "fields transaction amount currency refunded at via");

const ofOrder = rowsOf<Order>();
const order: Ties<Order> = {
  ...ofOrder(booked, "id channel points booked_as"),
  organization: ["orders_match_ledger", "orders_match_evidence", "accounts_agree"],
  ...ofOrder(evidence, "user kind amount currency state created_at expires_at credited_at refund"),
  ...ofOrder(shownNowhere, "qr_code pay_url notify_url return_url asked_at tries"),
  ...ofOrder(saidOnce, "reference closed_at returned declined"),
  refunded,
  ...{ plan, paid, doubt },
  automatic: rowsOf<AutomaticCharge>()(evidence, "customer method"),
};

const ofRefund = rowsOf<Refund>();
const refund: Ties<Refund> = {
  ...ofRefund(refunded, "fee amount points state"),
  ...ofRefund(["refunds_match_ledger", "orders_match_evidence"], "id order"),
  ...ofRefund(saidOnce, "reason ended_at"),
  created_at: evidence,
};

const ofInvoice = rowsOf<Invoice>();
const invoice: Ties<Invoice> = {
  ...ofInvoice(invoiced, "id organization user state orders amount currency title tax email"),
  ...ofInvoice(invoiced, "created_at number file issued_at reason ended_at"),
};

const ofUser = rowsOf<User>();
const user: Ties<User> = {
  ...ofUser(agreed, "id status created_at"),
  ...ofUser(
    saidOnce,
    "name phone_last_four phone_box phone_version organization email_shown email_box email_version",
  ),
  locale: shownNowhere,
};

type KeptMembership = Membership & { last_role: string; removed_at: number; expires_at: number };
const ofMembership = rowsOf<KeptMembership>();
const membership: Ties<KeptMembership> = {
  ...ofMembership(agreed, "user organization role since last_role removed_at"),
  expires_at: passing,
  mails: shownNowhere,
  projects: saidOnce,
};

type KeptLine = AuditEntry & { h: unknown; due_kind: unknown; due_at: unknown };
const ofLine = rowsOf<KeptLine>();
const line: Ties<KeptLine> = {
  ...ofLine(agreed, "h id organization at actor actor_name credential ip forwarded_for"),
  ...ofLine(agreed, "kind subject before after due_kind due_at"),
};

export const accounts: TableKinds = {
  user: { at: /^U#[^ ]+ -$/, ties: user },
  "claim of a contact": { at: /^P#[^ ]+ -$/, ties: { user: agreed, expires_at: passing } },
  membership: { at: /^[OU]#[^ ]+ M#/, ties: membership },
  session: { at: /^U#[^ ]+ S#/, ...allPassing },
  invitation: { at: /^O#[^ ]+ V#/, ...allPassing },
  "token of an invitation": { at: /^N#[^ ]+ -$/, ...allPassing },
  "open invitations": {
    at: /^O#[^ ]+ V$/,
    lost: "its invitations pass within days, and can be withdrawn by their ids",
    ...allPassing,
  },
  code: { at: /^C#[^ ]+ -$/, ...allPassing },
  "request of a program": { at: /^D#[^ ]+ -$/, ...allPassing },
  "connection to a provider": {
    at: /^O#[^ ]+ C$/,
    lost: "nobody comes in by the provider any more, and the console shows that there is none",
    ...allPassing,
  },
  "claim of a domain": {
    at: /^O#[^ ]+ D#/,
    lost: "nobody is sent to the provider by the domain any more, and the console does not show it",
    ...allPassing,
  },
  "record of a channel": {
    at: /^L#channels /,
    lost: "calls go to the channel again once the board has lost its mark too, and nobody sees who took it out",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "bill of a vendor": {
    at: /^V#bills /,
    lost: "the bill is imported once more, and its lines are written again as they are",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "lines of a bill": {
    at: /^V#bill_/,
    lost: "the bill's head says how many lines there are, and a comparison ends where some are gone",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "closed month": {
    at: /^M#closes /,
    lost: "the next month's summary names its hash, so month verify sees that it is gone; the last one can be closed again",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "last closed month": {
    at: /^M#last /,
    lost: "no month can be closed until the table is restored",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "balances of a closed month": {
    at: /^M#20/,
    lost: "the next close and month verify end, because their hash is in the summary",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "token of operators": {
    at: /^A#tokens /,
    lost: "its requests are refused, and nobody sees who had it",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "proposed credit": {
    at: /^B#credits /,
    lost: "nobody can confirm it any more; what was confirmed is an entry and a line of the audit log",
    ties: {},
    named: [[/./, shownNowhere]],
  },
  "proved domain": { at: /^H#[^ ]+ -$/, lost: "it has to be proved once more", ...allPassing },
  "person of a provider": {
    at: /^X#[^ ]+ -$/,
    lost: "their next sign-in makes them a new user, who is a member too",
    ...allPassing,
  },
  "token of a provider": {
    at: /^O#[^ ]+ P$/,
    lost: "the provider provisions nobody any more, and the console shows that there is no token",
    ...allPassing,
  },
  "provisioned person": {
    at: /^O#[^ ]+ U#/,
    lost: "the provider does not find them, and provisions them again",
    ...allPassing,
  },
  "name in a directory": {
    at: /^O#[^ ]+ L#/,
    lost: "the provider does not find its person by it any more",
    ...allPassing,
  },
  "groups of a directory": {
    at: /^O#[^ ]+ G$/,
    lost: "roles stay as they are until the provider makes the groups again",
    ...allPassing,
  },
  velocity: { at: /^Q#[^ ]+ -$/, ...allPassing },
  "audit log": {
    at: /^G#[^ ]+ aud_/,
    lost: "a line may be missing: it is written after the change where no transaction has room for it",
    ties: line,
  },
  order: { at: /^R#[^ ]+ -$/, ties: { ...order, due_kind: due, due_at: due } },
  "place of an order": { at: /^O#[^ ]+ R#/, ties: { h: evidence, p: evidence } },
  "open orders": { at: /^O#[^ ]+ R$/, ties: { open: evidence } },
  "claim of a repeated order": { at: /^O#[^ ]+ K#/, ...allPassing },
  refund: { at: /^R#[^ ]+ F#/, ties: refund },
  "claim of an order by an invoice": {
    at: /^R#[^ ]+ I$/,
    ties: { invoice: invoiced, organization: invoiced, last_invoice: invoiced },
  },
  invoice: { at: /^O#[^ ]+ I#/, ties: { ...invoice, due_kind: due, due_at: due } },
  "place of an invoice": {
    at: /^I#ivc_[^ ]+ -$/,
    ties: { organization: invoiced, h: invoiced, i: invoiced },
  },
  "last number of a series": { at: /^I#INV-[^ ]+ -$/, ties: { last: invoiced, skipped: invoiced } },
  "next notice of a plan's end": {
    at: /^O#[^ ]+ E$/,
    lost: "nobody is told that a plan ends, and the console shows it",
    ...allPassing,
  },
  "automatic top-up": {
    at: /^O#[^ ]+ T$/,
    lost: "nothing is bought by itself any more, and the console shows it",
    ...allPassing,
  },
  "month of automatic top-ups": {
    at: /^O#[^ ]+ T#/,
    lost: "the month counts anew, so more may be bought by itself in it",
    ...allPassing,
  },
  webhooks: {
    at: /^O#[^ ]+ W$/,
    lost: "nobody is told by webhooks any more, and the console shows that there are none",
    ...allPassing,
  },
  delivery: { at: /^W#[^ ]+ D#/, ...allPassing },
};
