/** What the console's document says of members, invitations, the audit log and keys (console/routes/organization.ts). */
import type { organizationRoutes } from "../console/routes/organization.ts";
import { consoleLimits } from "../console-limits.ts";
import { auditKinds } from "../identity/audit.ts";
import { limits } from "../limits.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import {
  deleted,
  givenName,
  id,
  idParameter,
  lastFour,
  maybe,
  phone,
  role,
  text,
  whole,
} from "./console-schemas.ts";
import { apiKey, creator, ownSchemas, secret } from "./own-schemas.ts";
import { after, limit } from "./parameters.ts";
import { closed, instant, object, oneOf, orNull, page, ref, type Schema, string, such } from "./schema.ts";

const person = "usr_01KAJ2X5P00000000000000000";
const moment = "2026-11-23T09:00:00.000Z";

const invitation = {
  id: id("inv"),
  object: { const: "invitation" },
  role,
  phone_last_four: orNull(such(lastFour, "Null: whoever has the token may accept.")),
  created_by: closed({ required: { id: id("usr"), name: string } }),
  created_at: instant,
  expires_at: instant,
};

const facts = orNull(
  such(object({}), {
    additionalProperties: { type: ["string", "number", "boolean", "null"] },
    description: "Never a secret, a token or a whole phone number.",
  }),
);

const auditEntry = {
  id: id("aud"),
  object: { const: "audit_entry" },
  kind: oneOf(auditKinds),
  subject: such(string, "The id of what was changed."),
  actor: closed({
    required: {
      id: such(string, "A user, or `operator` or `platform` where no member did it."),
      name: such(string, "What the user was called then."),
    },
  }),
  ip: orNull(such(string, "Null: there was no request, or it came through the gateway.")),
  before: facts,
  after: facts,
  created_at: instant,
};

export const organizationSchemas: Readonly<Record<string, Schema>> = {
  Organization: closed({ required: { id: id("org"), object: { const: "organization" }, name: string } }),
  Member: such(
    closed({
      required: {
        id: id("usr"),
        object: { const: "member" },
        name: string,
        phone_last_four: orNull(lastFour),
        role,
        status: orNull(oneOf(["active", "frozen"])),
        joined_at: instant,
      },
    }),
    {
      examples: [
        {
          ...{ id: person, object: "member", name: "Ann", phone_last_four: "5678", role: "admin" },
          ...{ status: "active", joined_at: moment },
        },
      ],
    },
  ),
  MemberList: page(ref("Member")),
  Membership: closed({
    required: {
      object: { const: "membership" },
      organization: closed({ required: { id: id("org"), name: string } }),
      role,
      joined_at: instant,
    },
  }),
  Invitation: closed({ required: invitation }),
  CreatedInvitation: closed({
    required: { ...invitation, token: such(string, "For the link. It is shown once.") },
  }),
  AuditEntry: such(closed({ required: auditEntry }), {
    examples: [
      {
        ...{ id: "aud_01KAJ2X5P00000000000000000", object: "audit_entry", kind: "member_role_changed" },
        ...{ subject: person, actor: { id: person, name: "Ann" }, ip: "203.0.113.7" },
        ...{ before: { role: "member" }, after: { role: "admin" }, created_at: moment },
      },
    ],
  }),
  AuditLog: page(ref("AuditEntry")),
  NewKey: ownSchemas.NewKey as Schema,
  ApiKey: closed({ required: { ...apiKey, created_by: creator } }),
  CreatedKey: closed({ required: { ...apiKey, key: secret, created_by: creator } }),
  KeyList: page(ref("ApiKey")),
};

const newRole = { schema: closed({ required: { role } }), example: { role: "admin" } };

export const organizationOperations: Readonly<
  Record<(typeof organizationRoutes)[number]["operation"], ConsoleDescribed>
> = {
  change_organization: {
    tag: "Organization",
    summary: "Rename the organization",
    request: { schema: closed({ required: { name: givenName } }), example: { name: "Acme" } },
    reply: ref("Organization"),
    errors: ["not_found"],
  },
  list_members: {
    tag: "Organization",
    summary: "List members, in the order in which they signed up",
    query: [limit(consoleLimits.memberPageMax), after],
    reply: ref("MemberList"),
    errors: ["invalid_request"],
  },
  change_member: {
    tag: "Organization",
    summary: "Give a member another role",
    description: "Nobody gives a role that has more rights than their own. The last owner stays one.",
    parameter: idParameter("usr", "a member"),
    request: newRole,
    reply: ref("Member"),
    errors: ["not_found", "invalid_state"],
  },
  remove_member: {
    tag: "Organization",
    summary: "Remove a member, or leave",
    description: "Everybody may leave but the last owner. Removing others takes `manage_members`.",
    parameter: idParameter("usr", "a member"),
    reply: deleted("member"),
    errors: ["permission_denied", "not_found", "invalid_state"],
  },
  create_invitation: {
    tag: "Organization",
    summary: "Invite somebody",
    description: `The link is good for ${consoleLimits.invitationDays} days, once.`,
    request: {
      schema: closed({
        required: { role },
        optional: { phone: maybe(such(phone, "Only the owner of this phone may accept.")) },
      }),
      example: { role: "member", phone: "+8613912345678" },
    },
    status: 201,
    reply: ref("CreatedInvitation"),
    errors: ["invalid_state"],
  },
  list_invitations: {
    tag: "Organization",
    summary: "List invitations that nobody has accepted yet, the oldest first",
    reply: whole(ref("Invitation")),
    errors: ["invalid_request"],
  },
  accept_invitation: {
    tag: "Organization",
    summary: "Become a member by an invitation",
    description: "Who is a member already gets the membership as it is.",
    request: {
      schema: closed({ required: { token: text("The token of the link.", "9vX2…") } }),
      example: { token: "Zm9vYmFyYmF6cXV4" },
    },
    reply: ref("Membership"),
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
    reply: ref("AuditLog"),
    errors: ["invalid_request"],
  },
  create_key: {
    tag: "Keys",
    summary: "Create a key",
    request: { schema: ref("NewKey"), example: { billing_mode: "payg", name: "reports" } },
    reply: ref("CreatedKey"),
    errors: ["account_frozen"],
  },
  list_keys: {
    tag: "Keys",
    summary: "List keys, without their secrets",
    description: "Who manages all keys sees all of them, others those that they made.",
    query: [limit(limits.keyListMax), after],
    reply: ref("KeyList"),
    errors: ["invalid_request"],
  },
  revoke_key: {
    tag: "Keys",
    summary: "Revoke a key",
    parameter: idParameter("key", "a key"),
    reply: deleted("api_key"),
    errors: ["key_not_found"],
  },
};
