/** What the operator does to an organization, as its audit log tells it (shared/people/identity/audit-lines.md). */

import { describeError } from "#shared/base/platform/log.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { planAt } from "#shared/books/accounts/subscription.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { type AuditedChange, auditEntry } from "#shared/people/identity/audit.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { logAside, type Stores } from "./stores.ts";

/** A line about an organization. */
type Line = Omit<AuditedChange, "subject">;
/** The line about an organization that was changed; undefined where nothing of what it tells has changed. */
export type LineOf = (before: Organization, after: Organization, now: number) => Line | undefined;

/** A line with what differs, or none. */
function differing(
  kind: Line["kind"],
  before: NonNullable<Line["before"]>,
  after: NonNullable<Line["after"]>,
) {
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : { kind, before, after };
}

/** Of its permissions. */
export const permissionsLine: LineOf = (before, after) => {
  const facts = ({ permissions }: Organization) => ({ permissions: permissions.join(" ") });
  return differing("permissions_changed", facts(before), facts(after));
};

/** Of a freeze, and of its end. */
export const statusLine: LineOf = (before, { status }) =>
  before.status === status
    ? undefined
    : { kind: status === "frozen" ? "organization_frozen" : "organization_unfrozen" };

/** Of its plan: the one that runs, and the one that is due. */
export const planLine: LineOf = (before, after, now) => {
  const facts = ({ subscription }: Organization) => {
    const { plan = "", period = "" } = subscription ? (subscription.next ?? planAt(subscription, now)) : {};
    return { plan, period };
  };
  return differing("plan_changed", facts(before), facts(after));
};

/** Of the end of its plan. */
export const endLine: LineOf = (before, after) => {
  const facts = ({ subscription }: Organization) => {
    const ends = subscription?.ends_at ?? null;
    return { ends_at: ends === null ? null : new Date(ends).toISOString() };
  };
  return differing("plan_end_changed", facts(before), facts(after));
};

/** Writes a line about what was done. If it cannot be written, standard error is told, and the command goes on. */
export async function writeLine({ id }: Pick<Organization, "id">, line: Line, stores: Stores): Promise<void> {
  const { aws, tables } = stores.connection;
  const actor = { user: byOperator, organization: { id } };
  try {
    const entry = auditEntry(actor, { ...line, subject: id }, byOperator.ip, stores.now());
    await createAuditLog(aws, tables).write(entry);
  } catch (error) {
    logAside("error", "audit_not_written", { organization: id, error: describeError(error) });
  }
}
