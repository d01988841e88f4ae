/** Every operation of the document of the operators' API (edges/admin/routes.ts). */

import { adminLimits } from "../../people/admin/bounds.ts";
import { reviewDecisions } from "../../people/payments/order.ts";
import type { AdminOperation } from "../admin/routes.ts";
import { type AdminDescribed, reason } from "./admin-operation.ts";
import { creditKind } from "./admin-schemas.ts";
import { maybe } from "./console-schemas.ts";
import { after, limit, type Parameter } from "./parameters.ts";
import * as s from "./schema.ts";

const page = [limit(adminLimits.pageMax), after];
const organization = { id: "The id of the organization." };
const missing = ["not_found"] as const;
const named = (name: string, description: string): Parameter => ({ name, schema: s.string, description });

/** The list of something of one organization. */
const listOf = <T>(schema: s.Schema<T>, summary: string, description: string) => ({
  ...{ tag: "Organizations" as const, summary, description, query: page, parameters: organization },
  ...{ reply: s.page(schema), errors: missing },
});

const invoice = { id: "The id of the invoice." };

/** What becomes of a key. */
const keyAct = (summary: string, command: string) => ({
  ...{ tag: "Keys" as const, summary, description: `As \`${command}\`. It acts on the key's next call.` },
  parameters: { ...organization, key: "The id of the key." },
  request: { schema: s.closed({ reason }), example: { reason: "leaked, ticket 4711" } },
  ...{ reply: s.ref("Key"), errors: ["not_found", "key_not_found"] as const },
});

/** A row of the table of routes without a description here does not compile. */
export const adminOperations = {
  show_own_token: {
    ...{ tag: "Token", summary: "Show the token that asks", reply: s.ref("Token"), errors: [] },
  },
  list_organizations: {
    tag: "Organizations",
    summary: "List organizations, in the order they were made",
    query: [...page, named("name", "Only those that have this in their name, in capitals or not.")],
    reply: s.page(s.ref("OrganizationLine")),
    errors: [],
  },
  show_organization: {
    tag: "Organizations",
    summary: "Show an organization: status, plan, balance, permissions",
    description: "`refundable` is what of its newest orders can be paid back.",
    ...{ parameters: organization, reply: s.ref("Organization"), errors: missing },
  },
  list_keys: listOf(
    s.ref("Key"),
    "List keys, in the order they were made",
    "Revoked ones too. Never a secret.",
  ),
  list_projects: {
    ...listOf(
      s.ref("Project"),
      "List projects",
      "All of them, in the order of their handles: it is one page.",
    ),
    query: [],
  },
  list_orders: listOf(s.ref("OrderLine"), "List orders, the newest first", "In any state."),
  list_invoices: listOf(s.ref("InvoiceLine"), "List invoices, the newest first", "In any state."),
  list_credits: listOf(
    s.ref("CreditLine"),
    "List credits of the wallet, the oldest first",
    "Also what was taken out. Charges of calls are not in the list.",
  ),
  list_audit_log: listOf(s.ref("AuditEntry"), "List the audit log, the newest first", "All of its lines."),
  list_reviews: {
    tag: "Orders",
    summary: "List orders in review, the newest first",
    description: "They wait for a decision. It reads all orders.",
    ...{ query: page, reply: s.page(s.ref("OrderLine")), errors: [] },
  },
  show_order: {
    tag: "Orders",
    summary: "Show an order with its payment, its refunds, and what is doubted about it",
    parameters: { id: "The id of the order." },
    ...{ reply: s.ref("Order"), errors: ["order_not_found"] },
  },
  list_waiting_invoices: {
    tag: "Invoices",
    summary: "List requested invoices, the longest waiting first",
    description: "A request is in the list a moment after it was made.",
    query: [limit(adminLimits.pageMax)],
    ...{ reply: s.page(s.ref("InvoiceLine")), errors: [] },
  },
  show_invoice: {
    tag: "Invoices",
    summary: "Show an invoice: to whom it is made out, its orders, and what of them was paid back since",
    parameters: { id: "The id of the invoice." },
    ...{ reply: s.ref("Invoice"), errors: ["invoice_not_found"] },
  },
  list_channels: {
    tag: "Catalog",
    summary: "List channels of models: their states, and what they did in the last minutes",
    query: [
      named("model", "Only channels of these models, such as `openai/*`."),
      named("provider", "Only channels of this provider."),
      { name: "out", schema: s.boolean, description: "True: only channels that an operator has taken out." },
    ],
    ...{ reply: s.page(s.ref("Channel")), errors: [] },
  },
  show_channel: {
    tag: "Catalog",
    summary: "Show a channel: its last 20 minutes, who has seen its faults, and what operators did to it",
    parameters: { id: "The id of the channel." },
    ...{ reply: s.ref("ChannelWhole"), errors: missing },
  },
  list_models: {
    tag: "Catalog",
    summary: "List the models of the catalog in force with their prices",
    query: [
      named("provider", "Only models that this provider serves."),
      named("like", "Only models that have this in a name, in capitals or not."),
    ],
    ...{ reply: s.page(s.ref("ModelLine")), errors: [] },
  },
  show_model: {
    tag: "Catalog",
    summary: "Show a model: its names, sizes, price and channels",
    parameters: { id: "Its id or another name, with `%2F` for a slash." },
    ...{ reply: s.ref("Model"), errors: missing },
  },
  list_months: {
    tag: "Months",
    summary: "List closed months, the newest first",
    description: "All of them: it is one page. `month close` closes one.",
    ...{ reply: s.page(s.ref("MonthLine")), errors: [] },
  },
  show_month: {
    tag: "Months",
    summary: "Show what a closed month came to, with its signed text",
    parameters: { month: "The month, of UTC, such as `2026-11`." },
    ...{ reply: s.ref("ClosedMonth"), errors: missing },
  },
  list_proposals: {
    tag: "Credits",
    summary: "List credits that wait, or have waited, for another person, the newest first",
    ...{ query: page, reply: s.page(s.ref("Proposal")), errors: [] },
  },
  show_proposal: {
    tag: "Credits",
    summary: "Show a proposed credit",
    parameters: { id: "The id of the proposal." },
    ...{ reply: s.ref("Proposal"), errors: missing },
  },
  disable_key: keyAct("Refuse a key from its next call on, until it is enabled", "key disable"),
  enable_key: keyAct("Let a disabled key make calls again, whoever disabled it", "key enable"),
  revoke_key: keyAct("Refuse a key for good", "key revoke"),
  issue_invoice: {
    tag: "Invoices",
    summary: "Note that a requested invoice is issued, under the next number of its series",
    description:
      "Make the document in the tax authority's system first. The same file again changes nothing.",
    parameters: invoice,
    request: {
      schema: s.closed({
        file: s.such(s.string, "Where the document is. The customer is shown it."),
        reason,
      }),
      example: { file: "26952000000012345678", reason: "made today" },
    },
    ...{ reply: s.ref("Invoice"), errors: ["invoice_not_found", "invalid_state"] },
  },
  reject_invoice: {
    tag: "Invoices",
    summary: "Reject a requested invoice; its orders can be requested again",
    description: "The customer is told the reason.",
    parameters: invoice,
    request: { schema: s.closed({ reason }), example: { reason: "the tax id is not of this company" } },
    ...{ reply: s.ref("Invoice"), errors: ["invoice_not_found", "invalid_state"] },
  },
  review_order: {
    tag: "Orders",
    summary: "Decide about an order in review",
    description:
      "`credit`: the points of what was paid are booked within a minute. `dismiss`: the order is closed; then pay the money back on the platform's own pages.",
    parameters: { id: "The id of the order." },
    request: {
      schema: s.closed({ decision: s.oneOf(reviewDecisions), reason }),
      example: { decision: "dismiss", reason: "paid twice, ticket 4711" },
    },
    ...{ reply: s.ref("Order"), errors: ["order_not_found", "invalid_state"] },
  },
  credit_organization: {
    tag: "Credits",
    summary: "Put points into a wallet, or take them out",
    description: `A credit of more than the stage's sum is proposed (202), and so is one with which its person has booked more than that alone in a UTC day: another person has to confirm it within ${adminLimits.proposalHours} hours.`,
    parameters: organization,
    request: {
      schema: s.closed(
        {
          points: s.such(s.points, "How many; negative points are taken out."),
          reference: s.such(s.string, {
            pattern: "^[\\w.:-]{1,128}$",
            description:
              "What it is booked under, once, such as a ticket's number. It is neither `opening` nor one that begins with `order.` or `refund.`.",
          }),
          reason,
        },
        { kind: maybe(s.such(creditKind, "By default `bought`, and `refund` for negative points.")) },
      ),
      example: {
        points: "50",
        reference: "ticket-4711",
        kind: "promotional",
        reason: "an outage, ticket 4711",
      },
    },
    ...{ reply: s.ref("Credited"), accepted: s.ref("Proposal") },
    errors: ["not_found", "invalid_state", "insufficient_balance", "global_rate_limited"],
  },
  confirm_proposal: {
    tag: "Credits",
    summary: "Confirm a proposed credit, which books it",
    description: "Neither the token that proposed it nor another one of the same person may.",
    parameters: { id: "The id of the proposal." },
    request: { schema: s.closed({ reason }), example: { reason: "seen with the customer's letter" } },
    reply: s.ref("Confirmed"),
    errors: ["not_found", "invalid_state", "insufficient_balance", "global_rate_limited"],
  },
  refuse_proposal: {
    tag: "Credits",
    summary: "Refuse a proposed credit, or take back one's own: it can never be booked",
    parameters: { id: "The id of the proposal." },
    request: { schema: s.closed({ reason }), example: { reason: "the wrong customer" } },
    reply: s.ref("Proposal"),
    errors: ["not_found", "invalid_state"],
  },
} satisfies Readonly<Record<AdminOperation, AdminDescribed>>;
