/** Kinds of news in groups that people choose from. */
import type { AuditEntry } from "../../../api-types.ts";

type Kind = AuditEntry["kind"];
export const allGroups = ["keys", "members", "organization", "money", "videos", "webhooks"] as const;
export type KindGroup = (typeof allGroups)[number];

/** A kind without a group does not compile. */
const groupOf: Record<Kind, KindGroup> = {
  ...{
    organization_renamed: "organization",
    budget_changed: "organization",
    policy_changed: "organization",
    permissions_changed: "organization",
    project_created: "organization",
    project_changed: "organization",
    domain_claimed: "organization",
    domain_proved: "organization",
    domain_dropped: "organization",
    sign_on_changed: "organization",
    sign_on_removed: "organization",
    sign_on_required: "organization",
    sign_on_optional: "organization",
    sign_on_released: "members",
    provisioning_token_made: "organization",
    provisioning_token_removed: "organization",
    provisioning_changed: "organization",
  },
  ...{ organization_frozen: "organization", organization_unfrozen: "organization" },
  ...{
    cache_emptied: "organization",
    cache_answer_removed: "organization",
    provider_id_given: "organization",
  },
  ...{
    member_joined: "members",
    member_role_changed: "members",
    member_projects_changed: "members",
    member_removed: "members",
  },
  ...{
    account_linked: "members",
    person_provisioned: "members",
    person_changed: "members",
    person_removed: "members",
    group_made: "members",
    group_changed: "members",
    group_removed: "members",
    member_left: "members",
    invitation_made: "members",
    invitation_withdrawn: "members",
  },
  ...{ key_created: "keys", key_changed: "keys", key_rotated: "keys", key_disabled: "keys" },
  ...{
    key_enabled: "keys",
    key_revoked: "keys",
    key_expiring: "keys",
    provider_key_set: "keys",
    provider_key_removed: "keys",
  },
  ...{ points_credited: "money", plan_end_changed: "money", plan_ordered: "money", plan_changed: "money" },
  ...{ order_created: "money", order_closed: "money", order_accepted: "money", order_credited: "money" },
  ...{ order_refunded: "money", invoice_requested: "money", invoice_issued: "money" },
  ...{ invoice_rejected: "money", invoice_voided: "money" },
  ...{ budget_reached: "money", quota_reached: "money", wallet_low: "money" },
  ...{ wallet_thresholds_changed: "money", plan_ending: "money", plan_ended: "money" },
  price_announced: "money",
  video_ended: "videos",
  ...{ auto_top_up_set: "money", auto_top_up_removed: "money", auto_top_up_charged: "money" },
  ...{ auto_top_up_failed: "money", auto_top_up_paused: "money" },
  ...{ webhook_made: "webhooks", webhook_changed: "webhooks", webhook_secret_rotated: "webhooks" },
  ...{ webhook_disabled: "webhooks", webhook_deleted: "webhooks", webhook_tested: "webhooks" },
};

/** The kinds of these groups; null where they are all. */
export function kindsOf(chosen: readonly KindGroup[]): Kind[] | null {
  if (chosen.length === allGroups.length) return null;
  return (Object.keys(groupOf) as Kind[]).filter((kind) => chosen.includes(groupOf[kind]));
}

/** The groups that have some of these kinds. */
export function groupsOf(kinds: readonly Kind[] | null): KindGroup[] {
  return allGroups.filter((group) => kinds === null || kinds.some((kind) => groupOf[kind] === group));
}
