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

const plan: Ties<PlanOrder> = { action: saidOnce, from: saidOnce, plan: saidOnce, period: saidOnce };

const paid: Ties<PaidFacts> = {
  transaction: saidOnce,
  amount: ["orders_match_ledger"],
  currency: saidOnce,
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
  kind: saidOnce,
  channel: ["orders_match_ledger"],
  amount: ["orders_match_ledger"],
  currency: saidOnce,
  points: ["orders_match_ledger"],
  plan,
  state: ["refunds_match_ledger"],
  qr_code: shownNowhere,
  pay_url: shownNowhere,
  notify_url: shownNowhere,
  return_url: shownNowhere,
  reference: saidOnce,
  created_at: saidOnce,
  expires_at: saidOnce,
  asked_at: shownNowhere,
  tries: shownNowhere,
  closed_at: saidOnce,
  paid,
  doubt,
  credited_at: ["orders_match_ledger"],
  booked_as: ["orders_match_ledger"],
  refund: ["refunds_match_ledger"],
  refunded: ["refunds_match_ledger"],
  returned: saidOnce,
};

const refund: Ties<Refund> = {
  id: ["refunds_match_ledger"],
  order: ["refunds_match_ledger"],
  amount: ["refunds_match_ledger"],
  points: ["refunds_match_ledger"],
  reason: saidOnce,
  state: ["refunds_match_ledger"],
  created_at: saidOnce,
  ended_at: saidOnce,
};

const invoice: Ties<Invoice> = {
  id: saidOnce,
  organization: saidOnce,
  user: saidOnce,
  state: saidOnce,
  orders: saidOnce,
  amount: saidOnce,
  currency: saidOnce,
  title: saidOnce,
  email: saidOnce,
  created_at: saidOnce,
  number: saidOnce,
  file: saidOnce,
  issued_at: saidOnce,
  reason: saidOnce,
  ended_at: saidOnce,
};

const user: Ties<User> = {
  id: saidOnce,
  name: saidOnce,
  locale: shownNowhere,
  status: saidOnce,
  phone_last_four: saidOnce,
  phone_box: saidOnce,
  phone_version: saidOnce,
  organization: saidOnce,
  created_at: saidOnce,
};

const membership: Ties<Membership & { last_role: string; removed_at: number; expires_at: number }> = {
  user: saidOnce,
  organization: saidOnce,
  role: saidOnce,
  since: saidOnce,
  last_role: saidOnce,
  removed_at: saidOnce,
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
  id: saidOnce,
  organization: saidOnce,
  at: saidOnce,
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
  "claim of a phone": { at: /^P#[^ ]+ -$/, ties: { user: saidOnce } },
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
  "open orders": { at: /^O#[^ ]+ R$/, ties: { open: saidOnce } },
  "claim of a repeated order": {
    at: /^O#[^ ]+ K#/,
    ties: { order: passing, request: passing, expires_at: passing },
  },
  refund: { at: /^R#[^ ]+ F#/, ties: refund },
  "claim of an order by an invoice": {
    at: /^R#[^ ]+ I$/,
    ties: { invoice: saidOnce, organization: saidOnce, last_invoice: saidOnce },
  },
  invoice: { at: /^O#[^ ]+ I#/, ties: { ...invoice, due_kind: due, due_at: due } },
  "place of an invoice": { at: /^I#ivc_[^ ]+ -$/, ties: { organization: saidOnce } },
  "last number of a series": { at: /^I#INV-[^ ]+ -$/, ties: { last: saidOnce } },
  "next notice of a plan's end": { at: /^O#[^ ]+ E$/, ties: { due_kind: passing, due_at: passing } },
};
