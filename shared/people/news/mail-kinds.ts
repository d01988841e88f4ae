/** Which news people get by mail, and who gets which (mails.md). A kind of the log without a row does not compile. */
import type { AuditEntry, AuditKind } from "../identity/audit.ts";
import { mayDo, type Right } from "../identity/roles.ts";
import type { Membership } from "../identity/user.ts";

/** A person chooses by these, for each organization. */
export const mailGroups = ["money", "plans", "keys", "people"] as const;
export type MailGroup = (typeof mailGroups)[number];

/** `all`: whatever happens in the organization. `own`: what concerns the person. */
export const mailLevels = ["all", "own", "none"] as const;
export type MailLevel = (typeof mailLevels)[number];

interface Group {
  /** Who has it may get all of the group. */
  right: Right;
  /** What they get who have it and chose nothing. */
  usual: MailLevel;
  /** The console's page where something is to be done. */
  page: string;
}

const groupOf: Readonly<Record<MailGroup, Group>> = {
  money: { right: "see_billing", usual: "all", page: "/recharge" },
  plans: { right: "see_billing", usual: "all", page: "/plan" },
  keys: { right: "manage_all_keys", usual: "own", page: "/keys" },
  people: { right: "manage_members", usual: "own", page: "/members" },
};

/** Null: nobody gets a mail of it. */
const mailedAs = {
  budget_reached: "money",
  wallet_low: "money",
  auto_top_up_paused: "money",
  order_credited: "money",
  order_refunded: "money",
  points_credited: "money",
  price_announced: "money",
  invoice_issued: "money",
  invoice_rejected: "money",
  invoice_voided: "money",
  quota_reached: "plans",
  plan_ended: "plans",
  plan_changed: "plans",
  plan_end_changed: "plans",
  organization_frozen: "plans",
  organization_unfrozen: "plans",
  key_expiring: "keys",
  key_created: "keys",
  key_rotated: "keys",
  key_disabled: "keys",
  key_enabled: "keys",
  key_revoked: "keys",
  provider_key_set: "keys",
  provider_key_removed: "keys",
  webhook_disabled: "keys",
  member_joined: "people",
  member_role_changed: "people",
  member_projects_changed: "people",
  member_removed: "people",
  member_left: "people",
  account_linked: "people",
  sign_on_released: "people",
  // The messages before a plan ends tell it (mails.md "The end of a plan").
  plan_ending: null,
  // What somebody does at the console and sees there at once.
  ...{ organization_renamed: null, budget_changed: null, policy_changed: null, permissions_changed: null },
  ...{ project_created: null, project_changed: null, key_changed: null, provider_id_given: null },
  ...{ wallet_thresholds_changed: null, auto_top_up_set: null, auto_top_up_removed: null },
  // `order_credited` tells the one, and `auto_top_up_paused` the last of the others.
  ...{ auto_top_up_charged: null, auto_top_up_failed: null },
  ...{ invitation_made: null, invitation_withdrawn: null, cache_emptied: null, cache_answer_removed: null },
  ...{ order_created: null, order_closed: null, order_accepted: null, plan_ordered: null },
  ...{ invoice_requested: null, webhook_made: null, webhook_changed: null, webhook_secret_rotated: null },
  ...{ webhook_deleted: null, webhook_tested: null, sign_on_changed: null, sign_on_removed: null },
  ...{ sign_on_required: null, sign_on_optional: null },
  ...{ domain_claimed: null, domain_proved: null, domain_dropped: null },
  // Programs wait for videos, not people.
  video_ended: null,
  // What a directory does to many at once. Who is a member then has a line of their own.
  ...{ provisioning_token_made: null, provisioning_token_removed: null, provisioning_changed: null },
  ...{ person_provisioned: null, person_changed: null, person_removed: null },
  ...{ group_made: null, group_changed: null, group_removed: null },
} as const satisfies Record<AuditKind, MailGroup | null>;

/** A kind of the log that people get by mail. */
export type MailedKind = {
  [Kind in AuditKind]: (typeof mailedAs)[Kind] extends null ? never : Kind;
}[AuditKind];

/** Whether there are mails of a kind. */
export function isMailed(kind: AuditKind): kind is MailedKind {
  return mailGroupOf(kind) !== null;
}

/** The group of a kind; null where there are no mails of it. */
export function mailGroupOf(kind: AuditKind): MailGroup | null {
  return mailedAs[kind];
}

/** The console's page for a kind. */
export function mailPageOf(kind: MailedKind): string {
  return kind === "price_announced" ? "/models" : groupOf[mailedAs[kind]].page;
}

/** The levels that a role may choose for a group. */
export function levelsFor(role: Membership["role"], group: MailGroup): MailLevel[] {
  return mailLevels.filter((level) => level !== "all" || mayDo(role, groupOf[group].right));
}

/** What a member gets of a group: what they have chosen, as far as their role goes now. */
export function mailLevel(
  { role, mails = {} }: Pick<Membership, "role" | "mails">,
  group: MailGroup,
): MailLevel {
  const { right, usual } = groupOf[group];
  const chosen = mails[group] ?? usual;
  return chosen === "all" && !mayDo(role, right) ? "own" : chosen;
}

/**
 * Whether a member gets a mail of a line. Nobody is told what they did themselves. `maker`: who made the key that it is
 * about.
 */
export function isMailedTo(
  member: Pick<Membership, "user" | "role" | "mails">,
  { kind, actor, subject }: Pick<AuditEntry, "kind" | "actor" | "subject">,
  maker?: string,
): boolean {
  const group = mailGroupOf(kind);
  if (group === null || actor === member.user) return false;
  const level = mailLevel(member, group);
  return level === "all" || (level === "own" && (subject === member.user || maker === member.user));
}
