/** The operations behind the names in the table of the operators' routes. */
import type { AdminAnswers } from "../call.ts";
import {
  type AdminCreditDeps,
  confirm,
  creditOrganization,
  listProposals,
  refuse,
  showProposal,
} from "./credits.ts";
import { type AdminDecisionDeps, issue, reject, review } from "./decisions.ts";
import { type AdminKeyDeps, changeKeyBy } from "./keys.ts";
import { type AdminMonthDeps, listAllMonths, showMonth } from "./months.ts";
import {
  type AdminReadingDeps,
  listAllChannels,
  listAllModels,
  listAllOrganizations,
  listAuditLogOf,
  listCreditsOf,
  listInvoicesOf,
  listKeysOf,
  listOrdersOf,
  listProjects,
  listReviews,
  listWaitingInvoices,
  showInvoice,
  showOneChannel,
  showOneModel,
  showOneOrganization,
  showOrder,
  showOwnToken,
} from "./reading.ts";

export type AdminAnswerDeps = AdminReadingDeps &
  AdminMonthDeps &
  AdminCreditDeps &
  AdminKeyDeps &
  AdminDecisionDeps;

export function adminAnswers(deps: AdminAnswerDeps): AdminAnswers {
  return {
    show_own_token: (call) => showOwnToken(call, deps),
    list_organizations: (call) => listAllOrganizations(call, deps),
    show_organization: (call) => showOneOrganization(call, deps),
    list_keys: (call) => listKeysOf(call, deps),
    list_projects: (call) => listProjects(call, deps),
    list_orders: (call) => listOrdersOf(call, deps),
    list_invoices: (call) => listInvoicesOf(call, deps),
    list_credits: (call) => listCreditsOf(call, deps),
    list_audit_log: (call) => listAuditLogOf(call, deps),
    list_reviews: (call) => listReviews(call, deps),
    show_order: (call) => showOrder(call, deps),
    list_waiting_invoices: (call) => listWaitingInvoices(call, deps),
    show_invoice: (call) => showInvoice(call, deps),
    list_channels: (call) => listAllChannels(call, deps),
    show_channel: (call) => showOneChannel(call, deps),
    list_models: (call) => listAllModels(call, deps),
    show_model: (call) => showOneModel(call, deps),
    list_months: (call) => listAllMonths(call, deps),
    show_month: (call) => showMonth(call, deps),
    list_proposals: (call) => listProposals(call, deps),
    show_proposal: (call) => showProposal(call, deps),
    disable_key: (call) => changeKeyBy("disable", call, deps),
    enable_key: (call) => changeKeyBy("enable", call, deps),
    revoke_key: (call) => changeKeyBy("revoke", call, deps),
    issue_invoice: (call) => issue(call, deps),
    reject_invoice: (call) => reject(call, deps),
    review_order: (call) => review(call, deps),
    credit_organization: (call) => creditOrganization(call, deps),
    confirm_proposal: (call) => confirm(call, deps),
    refuse_proposal: (call) => refuse(call, deps),
  };
}
