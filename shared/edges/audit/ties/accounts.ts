/** The table `accounts`: which invariant covers which field. */
import type { AuditEntry } from "../../../people/identity/audit.ts";
import type { CodeRecord } from "../../../people/identity/code.ts";
import type { Invitation } from "../../../people/identity/invitation.ts";
import type { SessionRecord } from "../../../people/identity/session.ts";
import type { Membership, User } from "../../../people/identity/user.ts";
import type { Invoice } from "../../../people/invoices/invoice.ts";
import type { Doubt, Order, PaidFacts, PlanOrder, Refund } from "../../../people/payments/order.ts";
import { passing, saidOnce, shownNowhere, type TableKinds, type Ties, untied } from "./tie.ts";

const due = untied(
  "it says when the reconciler looks again, and a wrong one rings the alarm of overdue orders",
);

const plan: Ties<PlanOrder> = {
  starts_at: ["orders_match_evidence"],
  ends_at: ["orders_match_evidence"],
  action: ["orders_match_evidence"],
  from: ["orders_match_evidence"],
  plan: ["orders_match_evidence"],
  period: ["orders_match_evidence"],
};

const paid: Ties<PaidFacts> = {
  transaction: ["orders_match_evidence"],
  amount: ["orders_match_ledger", "orders_match_evidence"],
  returned: ["orders_match_ledger"],
  currency: ["orders_match_evidence"],
  at: ["orders_match_evidence"],
  via: ["orders_match_evidence"],
};

const doubt: Ties<Doubt> = {
  fields: saidOnce,
  transaction: saidOnce,
  amount: saidOnce,
  currency: saidOnce,
  refunded: saidOnce,
  at: saidOnce,
  via: saidOnce,
};

const order: Ties<Order> = {
  id: ["orders_match_ledger", "orders_match_evidence"],
  organization: ["orders_match_ledger", "orders_match_evidence", "accounts_agree"],
  user: ["orders_match_evidence"],
  kind: ["orders_match_evidence"],
  channel: ["orders_match_ledger", "orders_match_evidence"],
  amount: ["orders_match_evidence"],
  currency: ["orders_match_evidence"],
  points: ["orders_match_ledger", "orders_match_evidence"],
  plan,
  state: ["orders_match_evidence"],
  qr_code: shownNowhere,
  pay_url: shownNowhere,
  notify_url: shownNowhere,
  return_url: shownNowhere,
  reference: saidOnce,
  created_at: ["orders_match_evidence"],
  expires_at: ["orders_match_evidence"],
  asked_at: shownNowhere,
  tries: shownNowhere,
  closed_at: saidOnce,
  paid,
  doubt,
  credited_at: ["orders_match_evidence"],
  booked_as: ["orders_match_ledger", "orders_match_evidence"],
  refund: ["orders_match_evidence"],
  refunded: ["refunds_match_ledger"],
  returned: saidOnce,
};

const refund: Ties<Refund> = {
  fee: ["refunds_match_ledger"],
  id: ["refunds_match_ledger", "orders_match_evidence"],
  order: ["refunds_match_ledger", "orders_match_evidence"],
  amount: ["refunds_match_ledger"],
  points: ["refunds_match_ledger"],
  reason: saidOnce,
  state: ["refunds_match_ledger"],
  created_at: ["orders_match_evidence"],
  ended_at: saidOnce,
};

const invoice: Ties<Invoice> = {
  tax: ["invoices_match_orders"],
  id: ["invoices_match_orders"],
  organization: ["invoices_match_orders"],
  user: ["invoices_match_orders"],
  state: ["invoices_match_orders"],
  orders: ["invoices_match_orders"],
  amount: ["invoices_match_orders"],
  currency: ["invoices_match_orders"],
  title: ["invoices_match_orders"],
  email: ["invoices_match_orders"],
  created_at: ["invoices_match_orders"],
  number: ["invoices_match_orders"],
  file: ["invoices_match_orders"],
  issued_at: ["invoices_match_orders"],
  reason: ["invoices_match_orders"],
  ended_at: ["invoices_match_orders"],
};

const user: Ties<User> = {
  id: ["members_agree"],
  name: saidOnce,
  locale: shownNowhere,
  status: ["members_agree"],
  phone_last_four: saidOnce,
  phone_box: saidOnce,
  phone_version: saidOnce,
  organization: saidOnce,
  created_at: ["members_agree"],
};

const membership: Ties<Membership & { last_role: string; removed_at: number; expires_at: number }> = {
  user: ["members_agree"],
  organization: ["members_agree"],
  role: ["members_agree"],
  since: ["members_agree"],
  last_role: ["members_agree"],
  removed_at: ["members_agree"],
  expires_at: passing,
};

const session: Ties<SessionRecord & { expires_at: number }> = {
  id: passing,
  user: passing,
  organization: passing,
  generation: passing,
  refreshed_at: passing,
  created_at: passing,
  label: passing,
  ip: passing,
  ended_at: passing,
  expires_at: passing,
};

const invitation: Ties<Invitation & { expires_at: number }> = {
  id: passing,
  organization: passing,
  role: passing,
  phone: passing,
  token: passing,
  inviter: passing,
  created_at: passing,
  ends_at: passing,
  accepted_by: passing,
  withdrawn_at: passing,
  expires_at: passing,
};

const code: Ties<CodeRecord & { expires_at: number }> = {
  code: passing,
  sent_at: passing,
  ends_at: passing,
  tries: passing,
  day: passing,
  sent: passing,
  expires_at: passing,
};

const line: Ties<AuditEntry & { h: unknown }> = {
  h: ["members_agree"],
  credential: ["members_agree"],
  forwarded_for: ["members_agree"],
  id: ["members_agree"],
  organization: ["members_agree"],
  at: ["members_agree"],
  actor: ["members_agree"],
  actor_name: ["members_agree"],
  ip: ["members_agree"],
  kind: ["members_agree"],
  subject: ["members_agree"],
  before: ["members_agree"],
  after: ["members_agree"],
};

export const accounts: TableKinds = {
  user: { at: /^U#[^ ]+ -$/, ties: user },
  "claim of a phone": { at: /^P#[^ ]+ -$/, ties: { user: ["members_agree"] } },
  membership: { at: /^[OU]#[^ ]+ M#/, ties: membership },
  session: { at: /^U#[^ ]+ S#/, ties: session },
  invitation: { at: /^O#[^ ]+ V#/, ties: invitation },
  "token of an invitation": {
    at: /^N#[^ ]+ -$/,
    ties: { organization: passing, invitation: passing, expires_at: passing },
  },
  "open invitations": {
    at: /^O#[^ ]+ V$/,
    lost: "its invitations pass within days, and can be withdrawn by their ids",
    ties: { changes: passing },
    named: [[/^inv_/, passing]],
  },
  code: { at: /^C#[^ ]+ -$/, ties: code },
  velocity: { at: /^Q#[^ ]+ -$/, ties: {}, named: [[/./, passing]] },
  "audit log": {
    at: /^G#[^ ]+ aud_/,
    lost: "a line may be missing: it is written after the change where no transaction has room for it",
    ties: line,
  },
  order: { at: /^R#[^ ]+ -$/, ties: { ...order, due_kind: due, due_at: due } },
  "place of an order": {
    at: /^O#[^ ]+ R#/,
    ties: { h: ["orders_match_evidence"], p: ["orders_match_evidence"] },
  },
  "open orders": { at: /^O#[^ ]+ R$/, ties: { open: ["orders_match_evidence"] } },
  "claim of a repeated order": {
    at: /^O#[^ ]+ K#/,
    ties: { order: passing, request: passing, expires_at: passing },
  },
  refund: { at: /^R#[^ ]+ F#/, ties: refund },
  "claim of an order by an invoice": {
    at: /^R#[^ ]+ I$/,
    ties: {
      invoice: ["invoices_match_orders"],
      organization: ["invoices_match_orders"],
      last_invoice: ["invoices_match_orders"],
    },
  },
  invoice: { at: /^O#[^ ]+ I#/, ties: { ...invoice, due_kind: due, due_at: due } },
  "place of an invoice": {
    at: /^I#ivc_[^ ]+ -$/,
    ties: {
      organization: ["invoices_match_orders"],
      h: ["invoices_match_orders"],
      i: ["invoices_match_orders"],
    },
  },
  "last number of a series": {
    at: /^I#INV-[^ ]+ -$/,
    ties: {
      last: ["invoices_match_orders"],
      skipped: ["invoices_match_orders"],
    },
  },
  "next notice of a plan's end": {
    at: /^O#[^ ]+ E$/,
    lost: "nobody is told that a plan ends, and the console shows it",
    ties: { due_kind: passing, due_at: passing },
  },
};
