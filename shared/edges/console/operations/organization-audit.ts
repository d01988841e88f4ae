/** `GET /api/v1/audit-log?limit=&after=`, the newest first (people/identity/members.md "The audit log"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import { isId } from "../../../base/platform/id.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import type { AuditEntry, AuditLog } from "../../../people/identity/audit.ts";
import { mayDo } from "../../../people/identity/roles.ts";
import { readLimit } from "../../api/report-parameters.ts";
import type { ConsoleSchema } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";

export interface AuditLogDeps {
  auditLog: AuditLog;
}

/** A page of the log. Who manages no members, which is finance, sees the part about money. */
export async function listAuditLog(call: ConsoleCall, { auditLog }: AuditLogDeps) {
  const { organization, role } = callerOf(call);
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(consoleLimits.auditPageMax),
    after: (given, name) => {
      if (given && !isId(given, "audit")) throw invalidField(name, "the `last_id` of a page of this list");
      return given;
    },
  });
  const { entries, more, last } = await auditLog.entries(organization.id, {
    limit,
    billing: !mayDo(role, "manage_members"),
    ...(after ? { after } : {}),
  });
  return jsonReply({ object: "list", data: entries.map(entryObject), has_more: more, last_id: last });
}

/** An entry as the interface shows one. */
export function entryObject(entry: AuditEntry): ConsoleSchema<"AuditEntry"> {
  const { id, kind, subject, ip, before, after } = entry;
  return {
    ...{ id, object: "audit_entry", kind, subject },
    actor: { id: entry.actor, name: entry.actor_name },
    credential: entry.credential ?? null,
    ip,
    forwarded_for: entry.forwarded_for ?? null,
    ...{ before, after },
    created_at: rfc3339(entry.at),
  };
}
