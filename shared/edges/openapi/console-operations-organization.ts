/** Members, invitations, the audit log and keys in the console's document (edges/console/routes/organization.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { limits } from "../../base/limits.ts";
import type { organizationRoutes } from "../console/routes/organization.ts";
import { auditEntry } from "./audit-schemas.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { budgetOperations, budgetSchemas } from "./console-operations-budgets.ts";
import { policyOperations, policySchemas } from "./console-operations-policies.ts";
import { projectOperations, projectSchemas } from "./console-operations-projects.ts";
import { providerKeyOperations, providerKeySchemas } from "./console-operations-provider-keys.ts";
import {
  contactsShown,
  deleted,
  givenName,
  id,
  idParameter,
  invited,
  maybe,
  role,
  text,
  whole,
} from "./console-schemas.ts";
import { apiKey, keySchemas, keysProject, makers, secret } from "./key-schemas.ts";
import { after, limit } from "./parameters.ts";
import * as s from "./schema.ts";

const person = "usr_01KAJ2X5P00000000000000000";
const moment = "2026-11-23T09:00:00.000Z";

const invitation = {
  id: id("inv"),
  object: s.just("invitation"),
  role,
  // Both null: whoever has the token may accept.
  ...contactsShown,
  created_by: s.closed({ id: id("usr"), name: s.string }),
  created_at: s.instant,
  expires_at: s.instant,
};

export const organizationSchemas = {
  ...budgetSchemas,
  ...policySchemas,
  ...projectSchemas,
  ...providerKeySchemas,
  Organization: s.closed({
    id: id("org"),
    object: s.just("organization"),
    name: s.string,
    keys_make_managers: s.boolean,
  }),
  Member: s.such(
    s.closed({
      id: id("usr"),
      object: s.just("member"),
      name: s.string,
      ...contactsShown,
      role,
      group_projects: s.list(s.string, {
        description: "The projects of which the groups at the organization's provider make them a member.",
      }),
      status: s.orNull(s.oneOf(["active", "frozen"])),
      joined_at: s.instant,
    }),
    {
      examples: [
        {
          ...{ id: person, object: "member", name: "Ann", phone_last_four: "5678", email_shown: null },
          ...{ role: "admin", group_projects: ["search"], status: "active", joined_at: moment },
        },
      ],
    },
  ),
  MemberList: s.page(s.ref("Member")),
  Membership: s.closed({
    object: s.just("membership"),
    organization: s.closed({ id: id("org"), name: s.string }),
    role,
    joined_at: s.instant,
  }),
  Invitation: s.closed(invitation),
  CreatedInvitation: s.closed({ ...invitation, token: s.such(s.string, "For the link. It is shown once.") }),
  AuditEntry: s.such(s.closed(auditEntry), {
    examples: [
      {
        ...{ id: "aud_01KAJ2X5P00000000000000000", object: "audit_entry", kind: "member_role_changed" },
        ...{ subject: person, actor: { id: person, name: "Ann" }, ip: "203.0.113.7" },
        ...{ credential: "ses_01KAJ2X5P00000000000000000", forwarded_for: null },
        ...{ before: { role: "member" }, after: { role: "admin" }, created_at: moment },
      },
    ],
  }),
  AuditLog: s.page(s.ref("AuditEntry")),
  NewKey: keySchemas.NewKey,
  KeyChange: keySchemas.KeyChange,
  KeyRotation: keySchemas.KeyRotation,
  ApiKey: s.closed({ ...apiKey, ...makers }),
  CreatedKey: s.closed({ ...apiKey, key: secret, ...makers }),
  KeyList: s.page(s.ref("ApiKey")),
  MemberKey: s.closed({
    ...{ ...apiKey, ...makers },
    ends_with_member: s.such(s.boolean, "It ends when the member is removed, because it manages keys."),
  }),
  MemberKeyList: s.page(s.ref("MemberKey")),
  RemovedMember: s.closed({
    ...{ id: id("usr"), object: s.just("member"), deleted: s.just(true) },
    keys_ended: s.such(s.list(id("key")), "The keys that descended from the member and have ended."),
  }),
};

const newRole = { schema: s.closed({ role }), example: { role: "admin" } };

const onKey = { tag: "Keys", parameter: idParameter("key", "a key") } as const;

export const organizationOperations = {
  ...budgetOperations,
  ...policyOperations,
  ...projectOperations,
  ...providerKeyOperations,
  change_organization: {
    tag: "Organization",
    summary: "Rename the organization, or let its keys make keys that manage keys",
    description: "Only an owner changes `keys_make_managers`.",
    request: {
      schema: s.closed(
        {},
        {
          name: givenName,
          keys_make_managers: maybe(s.such(s.boolean, "A key may make another one with `manage_keys`.")),
        },
      ),
      example: { name: "Acme" },
    },
    reply: s.ref("Organization"),
    errors: ["invalid_state"],
  },
  list_members: {
    tag: "Organization",
    summary: "List members, in the order in which they signed up",
    query: [limit(consoleLimits.memberPageMax), after],
    reply: s.ref("MemberList"),
    errors: ["invalid_request"],
  },
  change_member: {
    tag: "Organization",
    summary: "Give a member another role",
    description: "Nobody gives a role that has more rights than their own. The last owner stays one.",
    parameter: idParameter("usr", "a member"),
    request: newRole,
    reply: s.ref("Member"),
    errors: ["not_found", "invalid_state"],
  },
  remove_member: {
    tag: "Organization",
    summary: "Remove a member, or leave",
    description:
      "Everybody may leave but the last owner. Removing others takes `manage_members`. Keys that descend from the member and manage keys end.",
    parameter: idParameter("usr", "a member"),
    query: [
      {
        name: "keys",
        schema: s.oneOf(["keep", "end"], { default: "keep" }),
        description: "What becomes of the other keys that descend from the member. Absent where one leaves.",
      },
    ],
    reply: s.ref("RemovedMember"),
    errors: ["invalid_request", "permission_denied", "not_found", "invalid_state"],
  },
  list_member_keys: {
    tag: "Organization",
    summary: "List the keys in use that descend from a member",
    description:
      "A key descends from who made it, and from who made the first key of the chain that made it. Those of others take `manage_members`.",
    parameter: idParameter("usr", "a member"),
    query: [limit(limits.keyListMax), after],
    reply: s.ref("MemberKeyList"),
    errors: ["invalid_request", "permission_denied", "not_found"],
  },
  create_invitation: {
    tag: "Organization",
    summary: "Invite somebody",
    description: `The link is good for ${consoleLimits.invitationDays} days, once.`,
    request: {
      schema: s.closed({ role }, invited),
      example: { role: "member", phone: "+8613912345678" },
    },
    status: 201,
    reply: s.ref("CreatedInvitation"),
    errors: ["invalid_state"],
  },
  list_invitations: {
    tag: "Organization",
    summary: "List invitations that nobody has accepted yet, the oldest first",
    reply: whole(s.ref("Invitation")),
    errors: ["invalid_request"],
  },
  accept_invitation: {
    tag: "Organization",
    summary: "Become a member by an invitation",
    description: "Who is a member already gets the membership as it is.",
    request: {
      schema: s.closed({ token: text("The token of the link.", "9vX2…") }),
      example: { token: "Zm9vYmFyYmF6cXV4" },
    },
    reply: s.ref("Membership"),
    errors: ["not_found", "invalid_state"],
  },
  withdraw_invitation: {
    tag: "Organization",
    summary: "Withdraw an invitation",
    parameter: idParameter("inv", "an invitation"),
    reply: deleted("invitation"),
    errors: ["not_found", "invalid_state"],
  },
  list_audit_log: {
    tag: "Organization",
    summary: "What members changed, the newest first",
    description:
      "A page reads a bounded number of entries, so it may be short. Finance sees the part about money.",
    query: [limit(consoleLimits.auditPageMax), after],
    reply: s.ref("AuditLog"),
    errors: ["invalid_request"],
  },
  create_key: {
    tag: "Keys",
    summary: "Create a key",
    request: { schema: s.ref("NewKey"), example: { billing_mode: "payg", name: "reports" } },
    reply: s.ref("CreatedKey"),
    errors: ["account_frozen"],
  },
  list_keys: {
    tag: "Keys",
    summary: "List keys, without their secrets",
    description: "Who manages all keys sees all of them, others those that they made.",
    query: [limit(limits.keyListMax), after, keysProject],
    reply: s.ref("KeyList"),
    errors: ["invalid_request"],
  },
  change_key: {
    ...onKey,
    summary: "Change a key",
    reply: s.ref("ApiKey"),
    request: { schema: s.ref("KeyChange"), example: { name: "reports", limits: { max_concurrency: 5 } } },
    errors: ["key_not_found"],
  },
  show_key_bounds: {
    ...onKey,
    summary: "What binds a key's calls beside its own limits",
    description:
      "The budgets and policies of the organization, of the key's project and of the member it descends from, and the budget of each end customer.",
    reply: s.ref("KeyBounds"),
    errors: ["key_not_found"],
  },
  rotate_key: {
    ...onKey,
    summary: "Give a key another secret",
    reply: s.ref("CreatedKey"),
    request: { schema: s.ref("KeyRotation"), example: { overlap_seconds: 3600 }, optional: true },
    errors: ["key_not_found"],
  },
  disable_key: {
    ...onKey,
    summary: "Disable a key",
    reply: s.ref("ApiKey"),
    errors: ["key_not_found"],
  },
  enable_key: {
    ...onKey,
    summary: "Enable a key again",
    reply: s.ref("ApiKey"),
    errors: ["key_not_found"],
  },
  revoke_key: {
    ...onKey,
    summary: "Revoke a key",
    reply: deleted("api_key"),
    errors: ["key_not_found"],
  },
} satisfies Readonly<Record<(typeof organizationRoutes)[number]["operation"], ConsoleDescribed>>;
