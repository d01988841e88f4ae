/** What members do in their organization, as the console's routes show it (people/identity/members.md). */
import type { AnswersTo } from "../../openapi/route-types.ts";
import type { ConsoleCall } from "../call.ts";
import { callerOf } from "../call.ts";
import type { organizationRoutes } from "../routes/organization.ts";
import { type AuditLogDeps, listAuditLog } from "./organization-audit.ts";
import { type BudgetDeps, changeBudget, listBudgets } from "./organization-budgets.ts";
import {
  answerAcceptance,
  createInvitation,
  type InvitationDeps,
  listInvitations,
  withdrawInvitation,
} from "./organization-invitations.ts";
import { type KeyBoundsDeps, showKeyBounds } from "./organization-key-bounds.ts";
import {
  changeMemberKey,
  createMemberKey,
  disableMemberKey,
  enableMemberKey,
  listMemberKeys,
  type MemberKeyDeps,
  type MemberRequest,
  revokeMemberKey,
  rotateMemberKey,
} from "./organization-keys.ts";
import { listMembersKeys } from "./organization-member-keys.ts";
import {
  changeMember,
  changeOrganization,
  listMembers,
  type MemberDeps,
  removeMember,
} from "./organization-members.ts";
import { changePolicy, listPolicies } from "./organization-policies.ts";
import {
  changeProject,
  createProject,
  listProjects,
  type ProjectDeps,
  showProject,
} from "./organization-projects.ts";
import {
  listProviderKeys,
  type OwnKeyDeps,
  putProviderKey,
  removeProviderKey,
} from "./organization-provider-keys.ts";
import { setThresholds, showThresholds } from "./organization-wallet.ts";

/** What they need. The composition gives the whole stores. */
export type OrganizationAnswerDeps = MemberDeps &
  InvitationDeps &
  AuditLogDeps &
  MemberKeyDeps &
  KeyBoundsDeps &
  BudgetDeps &
  ProjectDeps &
  OwnKeyDeps;

/** The operations of `edges/console/routes/organization.ts`. */
export function organizationAnswers(deps: OrganizationAnswerDeps): AnswersTo<typeof organizationRoutes> {
  const asked = (call: ConsoleCall): MemberRequest => ({ request: call.request, caller: callerOf(call) });
  const named = (call: ConsoleCall) => ({ ...asked(call), id: call.parameters.id ?? "" });
  return {
    change_organization: async (call) => await changeOrganization(call, deps),
    list_budgets: async (call) => await listBudgets(call, deps),
    change_budget: async (call) => await changeBudget(call, deps),
    show_wallet_thresholds: async (call) => showThresholds(call),
    set_wallet_thresholds: async (call) => await setThresholds(call, deps),
    list_policies: async (call) => listPolicies(call),
    change_policy: async (call) => await changePolicy(call, deps),
    list_projects: async (call) => await listProjects(call, deps),
    create_project: async (call) => await createProject(call, deps),
    show_project: async (call) => await showProject(call, deps),
    change_project: async (call) => await changeProject(call, deps),
    list_provider_keys: async (call) => await listProviderKeys(call, deps),
    put_provider_key: async (call) => await putProviderKey(call, deps),
    remove_provider_key: async (call) => await removeProviderKey(call, deps),
    list_members: async (call) => await listMembers(call, deps),
    change_member: async (call) => await changeMember(call, deps),
    list_member_keys: async (call) => await listMembersKeys(call, deps),
    remove_member: async (call) => await removeMember(call, deps),
    create_invitation: async (call) => await createInvitation(call, deps),
    list_invitations: async (call) => await listInvitations(call, deps),
    accept_invitation: async (call) => await answerAcceptance(call, deps),
    withdraw_invitation: async (call) => await withdrawInvitation(call, deps),
    list_audit_log: async (call) => await listAuditLog(call, deps),
    create_key: async (call) => await createMemberKey(asked(call), deps),
    list_keys: async (call) => await listMemberKeys(asked(call), deps),
    change_key: async (call) => await changeMemberKey(named(call), deps),
    revoke_key: async (call) => await revokeMemberKey(named(call), deps),
    show_key_bounds: async (call) => await showKeyBounds(named(call), deps),
    rotate_key: async (call) => await rotateMemberKey(named(call), deps),
    disable_key: async (call) => await disableMemberKey(named(call), deps),
    enable_key: async (call) => await enableMemberKey(named(call), deps),
  };
}
