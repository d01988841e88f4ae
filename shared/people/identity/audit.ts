/** The audit log of an organization. An entry is written once and never changed (members.md "The audit log"). */
import { newId } from "../../base/platform/id.ts";
import type { User } from "./user.ts";

/** Everything that the log tells. Sign-ins are not in it: they belong to a user, not to an organization. */
export const auditKinds = [
  "organization_renamed",
  "budget_changed",
  "policy_changed",
  "project_created",
  "project_changed",
  "provider_key_set",
  "provider_key_removed",
  "member_joined",
  "member_role_changed",
  "member_projects_changed",
  "member_removed",
  "member_left",
  "invitation_made",
  "invitation_withdrawn",
  "key_created",
  "key_changed",
  "key_rotated",
  "key_disabled",
  "key_enabled",
  "key_revoked",
  "cache_emptied",
  "cache_answer_removed",
  "provider_id_given",
  "permissions_changed",
  "organization_frozen",
  "organization_unfrozen",
  "points_credited",
  "plan_end_changed",
  "order_created",
  "order_closed",
  "order_accepted",
  "order_credited",
  "order_refunded",
  "plan_ordered",
  "plan_changed",
  "invoice_requested",
  "invoice_issued",
  "invoice_rejected",
  "invoice_voided",
  "webhook_made",
  "webhook_changed",
  "webhook_secret_rotated",
  "webhook_disabled",
  "webhook_deleted",
  "webhook_tested",
  "sign_on_changed",
  "sign_on_removed",
  "sign_on_required",
  "sign_on_optional",
  "sign_on_released",
  "domain_claimed",
  "domain_proved",
  "domain_dropped",
  "account_linked",
  "provisioning_token_made",
  "provisioning_token_removed",
  "provisioning_changed",
  "person_provisioned",
  "person_changed",
  "person_removed",
  "group_made",
  "group_changed",
  "group_removed",
  "budget_reached",
  "quota_reached",
  "wallet_low",
  "wallet_thresholds_changed",
  "key_expiring",
  "auto_top_up_set",
  "auto_top_up_removed",
  "auto_top_up_charged",
  "auto_top_up_failed",
  "auto_top_up_paused",
  "plan_ending",
  "plan_ended",
  "price_announced",
  "video_ended",
] as const;
export type AuditKind = (typeof auditKinds)[number];

/** The part that is about money. Who may see the bills only sees no more than this. */
const billingKinds: ReadonlySet<AuditKind> = new Set(
  auditKinds.filter((kind) =>
    /^(?:order|plan|price|invoice|points|wallet|quota|auto_top_up)_|^budget_reached$/.test(kind),
  ),
);

/** Whether an entry of this kind is about money. */
export function isBilling(kind: AuditKind): boolean {
  return billingKinds.has(kind);
}

/** What was so before a change or after it. Never a secret, a token or a whole phone number. */
export type AuditFacts = Readonly<Record<string, string | number | boolean | null>>;

export interface AuditEntry {
  id: string;
  organization: string;
  /** Unix milliseconds. */
  at: number;
  /** The id of the user or of the API key; `operator` or `platform` where neither did it. */
  actor: string;
  /** What the user or the key was called then; empty where neither did it. */
  actor_name: string;
  /** The session or the API key that it was done with. Absent: neither was, or the line is older than this member. */
  credential?: string;
  /** The client's address, as far as the front may believe it; null where there was no request, or it is not known. */
  ip: string | null;
  /** What `x-forwarded-for` said where it named others than `ip`. Whoever calls can write anything there. */
  forwarded_for?: string;
  kind: AuditKind;
  /** The id of what was changed. */
  subject: string;
  before: AuditFacts | null;
  after: AuditFacts | null;
}

/** A change, as the operation that makes it knows it. */
export interface AuditedChange {
  kind: AuditKind;
  subject: string;
  before?: AuditFacts;
  after?: AuditFacts;
}

/** Who makes a change, and in which organization: a caller is one, and so is an API key with its organization. */
export interface Actor {
  user: Pick<User, "id" | "name">;
  organization: { id: string };
  /** The session that they make it with. */
  session?: { id: string };
}

/** The entry of a change that somebody made at `at` (Unix milliseconds) from the address `ip`, where it is known. */
export function auditEntry(
  { user, organization, session }: Actor,
  { kind, subject, before, after }: AuditedChange,
  ip: string | null,
  at: number,
): AuditEntry {
  return {
    id: newId("audit", at),
    organization: organization.id,
    at,
    actor: user.id,
    actor_name: user.name,
    ...(session && { credential: session.id }),
    ip,
    kind,
    subject,
    before: before ?? null,
    after: after ?? null,
  };
}

/** What other rooms write to the log. */
export interface AuditPort {
  /** Writes an entry. An entry that is there already stays as it is, so that a repeated write is harmless. */
  write(entry: AuditEntry): Promise<void>;
}

/** The log as its readers need it. */
export interface AuditLog extends AuditPort {
  /** Entries from behind the id `after`, the newest first. `billing`: only those about money. A page may be short. */
  entries(
    organization: string,
    page: { limit: number; after?: string; billing?: boolean },
  ): Promise<{ entries: AuditEntry[]; more: boolean; last: string | null }>;
}
