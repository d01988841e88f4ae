/** Members, invitations, the audit log and keys in the console's document (edges/console/routes/organization.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { limits } from "../../base/limits.ts";
import { type AuditFacts, auditKinds } from "../../people/identity/audit.ts";
import type { organizationRoutes } from "../console/routes/organization.ts";
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
import { apiKey, keySchemas, makers, secret } from "./key-schemas.ts";
import { after, limit } from "./parameters.ts";
import {
  boolean,
  closed,
  instant,
  just,
  list,
  object,
  oneOf,
  orNull,
  page,
  ref,
  type Schema,
  string,
  such,
} from "./schema.ts";

const person = "usr_01KAJ2X5P00000000000000000";
const moment = "2026-11-23T09:00:00.000Z";

const invitation = {
  id: id("inv"),
  object: just("invitation"),
  role,
  phone_last_four: orNull(such(lastFour, "Null: whoever has the token may accept.")),
  created_by: closed({ id: id("usr"), name: string }),
  created_at: instant,
  expires_at: instant,
};

const facts = orNull(
  such(object({}) as Schema<AuditFacts>, {
    additionalProperties: { type: ["string", "number", "boolean", "null"] },
    description: "Never a secret, a token or a whole phone number.",
  }),
);

const auditEntry = {
  id: id("aud"),
  object: just("audit_entry"),
  kind: oneOf(auditKinds),
  subject: such(string, "The id of what was changed."),
  actor: closed({
    id: such(string, "A user, an API key, or `operator` or `platform` where neither did it."),
    name: such(string, "What the user or the key was called then."),
  }),
  credential: orNull(
    such(string, "The session or the API key. Null: neither did it, or the line is from before 2026-11-28."),
  ),
  ip: orNull(such(string, "The address of the connection. Null: there was no request, or it is not known.")),
  forwarded_for: orNull(
    such(string, "What `x-forwarded-for` said, where it named others. Whoever calls can write it."),
  ),
  before: facts,
  after: facts,
  created_at: instant,
};

export const organizationSchemas = {
  Organization: closed({
    id: id("org"),
    object: just("organization"),
    name: string,
    keys_make_managers: boolean,
  }),
  Member: such(
    closed({
      id: id("usr"),
      object: just("member"),
      name: string,
      phone_last_four: orNull(lastFour),
      role,
      status: orNull(oneOf(["active", "frozen"])),
      joined_at: instant,
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
    object: just("membership"),
    organization: closed({ id: id("org"), name: string }),
    role,
    joined_at: instant,
  }),
  Invitation: closed(invitation),
  CreatedInvitation: closed({ ...invitation, token: such(string, "For the link. It is shown once.") }),
  AuditEntry: such(closed(auditEntry), {
    examples: [
      {
        ...{ id: "aud_01KAJ2X5P00000000000000000", object: "audit_entry", kind: "member_role_changed" },
        ...{ subject: person, actor: { id: person, name: "Ann" }, ip: "203.0.113.7" },
        ...{ credential: "ses_01KAJ2X5P00000000000000000", forwarded_for: null },
        ...{ before: { role: "member" }, after: { role: "admin" }, created_at: moment },
      },
    ],
  }),
  AuditLog: page(ref("AuditEntry")),
  NewKey: keySchemas.NewKey,
  KeyChange: keySchemas.KeyChange,
  ApiKey: closed({ ...apiKey, ...makers }),
  CreatedKey: closed({ ...apiKey, key: secret, ...makers }),
  KeyList: page(ref("ApiKey")),
  MemberKey: closed({
    ...{ ...apiKey, ...makers },
    ends_with_member: such(boolean, "It ends when the member is removed, because it manages keys."),
  }),
  MemberKeyList: page(ref("MemberKey")),
  RemovedMember: closed({
    ...{ id: id("usr"), object: just("member"), deleted: just(true) },
    keys_ended: such(list(id("key")), "The keys that descended from the member and have ended."),
  }),
};

const newRole = { schema: closed({ role }), example: { role: "admin" } };

export const organizationOperations = {
  change_organization: {
    tag: "Organization",
    summary: "Rename the organization, or let its keys make keys that manage keys",
    description: "Only an owner changes `keys_make_managers`.",
    request: {
      schema: closed(
        {},
        {
          name: givenName,
          keys_make_managers: maybe(such(boolean, "A key may make another one with `manage_keys`.")),
        },
      ),
      example: { name: "Acme" },
    },
    reply: ref("Organization"),
    errors: ["invalid_state"],
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
    description:
      "Everybody may leave but the last owner. Removing others takes `manage_members`. Keys that descend from the member and manage keys end.",
    parameter: idParameter("usr", "a member"),
    query: [
      {
        name: "keys",
        schema: oneOf(["keep", "end"], { default: "keep" }),
        description: "What becomes of the other keys that descend from the member. Absent where one leaves.",
      },
    ],
    reply: ref("RemovedMember"),
    errors: ["invalid_request", "permission_denied", "not_found", "invalid_state"],
  },
  list_member_keys: {
    tag: "Organization",
    summary: "List the keys in use that descend from a member",
    description:
      "A key descends from who made it, and from who made the first key of the chain that made it. Those of others take `manage_members`.",
    parameter: idParameter("usr", "a member"),
    query: [limit(limits.keyListMax), after],
    reply: ref("MemberKeyList"),
    errors: ["invalid_request", "permission_denied", "not_found"],
  },
  create_invitation: {
    tag: "Organization",
    summary: "Invite somebody",
    description: `The link is good for ${consoleLimits.invitationDays} days, once.`,
    request: {
      schema: closed({ role }, { phone: maybe(such(phone, "Only the owner of this phone may accept.")) }),
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
      schema: closed({ token: text("The token of the link.", "9vX2…") }),
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
  change_key: {
    tag: "Keys",
    summary: "Replace the defaults of a key",
    parameter: idParameter("key", "a key"),
    reply: ref("ApiKey"),
    request: {
      schema: ref("KeyChange"),
      example: { defaults: { allow_drop: ["tools"], cache_points: "auto" } },
    },
    errors: ["key_not_found"],
  },
  revoke_key: {
    tag: "Keys",
    summary: "Revoke a key",
    parameter: idParameter("key", "a key"),
    reply: deleted("api_key"),
    errors: ["key_not_found"],
  },
} satisfies Readonly<Record<(typeof organizationRoutes)[number]["operation"], ConsoleDescribed>>;
