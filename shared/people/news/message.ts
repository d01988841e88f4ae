/** The body of a message, the same for webhooks and for the event bus (README.md "A delivery"). */
import { rfc3339 } from "../../books/billing/instant.ts";
import type { AuditEntry } from "../identity/audit.ts";

/** The body of the message about a line. It has no address and no session of who did it. */
export function messageBody({ id, organization, at, kind, ...line }: AuditEntry): string {
  const { subject, actor, actor_name, before, after } = line;
  return JSON.stringify({
    type: kind,
    timestamp: rfc3339(at),
    data: {
      id,
      organization_id: organization,
      subject,
      actor: { id: actor, name: actor_name },
      before,
      after,
    },
  });
}
