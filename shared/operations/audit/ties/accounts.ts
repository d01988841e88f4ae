/** The table `accounts`: which invariant covers which field. */
import type { AuditEntry } from "../../../identity/audit.ts";
import type { CodeRecord } from "../../../identity/code.ts";
import type { Invitation } from "../../../identity/invitation.ts";
import type { SessionRecord } from "../../../identity/session.ts";
import type { Membership, User } from "../../../identity/user.ts";
import type { Invoice } from "../../../invoices/invoice.ts";
import type { Doubt, Order, PaidFacts, PlanOrder, Refund } from "../../../payments/order.ts";
import { passing, saidOnce, shownNowhere, type TableKinds, type Ties, untied } from "./tie.ts";

const due = untied(
  "it says when the reconciler looks again, and a wrong one rings the alarm of overdue orders",
);

const plan: Ties<PlanOrder> = {
  starts_at: saidOnce,
  ends_at: saidOnce,
  action: saidOnce,
  from: saidOnce,
  plan: ["orders_match_evidence"],
  period: ["orders_match_evidence"],
};

const paid: Ties<PaidFacts> = {
  transaction: untied("the platform alone knows it; order lists compare it with the platform's own"),
  amount: ["orders_match_ledger", "orders_match_evidence"],
  returned: ["orders_match_ledger"],
  currency: ["orders_match_evidence"],
  at: saidOnce,
  via: saidOnce,
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
  id: ["orders_match_ledger"],
  organization: ["orders_match_ledger"],
  user: saidOnce,
  kind: ["orders_match_evidence"],
  channel: ["orders_match_ledger"],
  amount: ["orders_match_evidence"],
  currency: ["orders_match_evidence"],
  points: ["orders_match_ledger"],
  plan,
  state: ["orders_match_evidence"],
  qr_code: shownNowhere,
  pay_url: shownNowhere,
  notify_url: shownNowhere,
  return_url: shownNowhere,
  reference: saidOnce,
  created_at: ["orders_match_evidence"],
  expires_at: saidOnce,
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
  id: ["refunds_match_ledger"],
  order: ["refunds_match_ledger"],
  amount: ["refunds_match_ledger"],
  points: ["refunds_match_ledger"],
  reason: saidOnce,
  state: ["refunds_match_ledger"],
  created_at: ["orders_match_evidence"],
  ended_at: saidOnce,
};

const invoice: Ties<Invoice> = {
  tax: saidOnce,
  id: ["invoices_match_orders"],
  organization: ["invoices_match_orders"],
  user: saidOnce,
  state: ["invoices_match_orders"],
  orders: ["invoices_match_orders"],
  amount: ["invoices_match_orders"],
  currency: ["invoices_match_orders"],
  title: saidOnce,
  email: saidOnce,
  created_at: ["invoices_match_orders"],
  number: ["invoices_match_orders"],
  file: saidOnce,
  issued_at: ["invoices_match_orders"],
  reason: saidOnce,
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

const line: Ties<AuditEntry> = {
  credential: saidOnce,
  forwarded_for: saidOnce,
  id: ["members_agree"],
  organization: ["members_agree"],
  at: ["members_agree"],
  actor: saidOnce,
  actor_name: saidOnce,
  ip: saidOnce,
  kind: saidOnce,
  subject: saidOnce,
  before: saidOnce,
  after: saidOnce,
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
  "open invitations": { at: /^O#[^ ]+ V$/, ties: { changes: passing }, named: [[/^inv_/, passing]] },
  code: { at: /^C#[^ ]+ -$/, ties: code },
  velocity: { at: /^Q#[^ ]+ -$/, ties: {}, named: [[/./, passing]] },
  "audit log": { at: /^G#[^ ]+ aud_/, ties: line },
  order: { at: /^R#[^ ]+ -$/, ties: { ...order, due_kind: due, due_at: due } },
  "place of an order": { at: /^O#[^ ]+ R#/, ties: {} },
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
  "place of an invoice": { at: /^I#ivc_[^ ]+ -$/, ties: { organization: ["invoices_match_orders"] } },
  "last number of a series": {
    at: /^I#INV-[^ ]+ -$/,
    ties: {
      last: ["invoices_match_orders"],
      skipped: ["invoices_match_orders"],
    },
  },
  "next notice of a plan's end": { at: /^O#[^ ]+ E$/, ties: { due_kind: passing, due_at: passing } },
};
