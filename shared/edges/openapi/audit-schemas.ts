/** A line of the audit log in the console's document. */

import { type AuditFacts, auditKinds } from "../../people/identity/audit.ts";
import { id } from "./console-schemas.ts";
import * as s from "./schema.ts";

const facts = s.orNull(
  s.such(s.object({}) as s.Schema<AuditFacts>, {
    additionalProperties: { type: ["string", "number", "boolean", "null"] },
    description: "Never a secret, a token, a whole phone number or a whole e-mail address.",
  }),
);

export const auditEntry = {
  id: id("aud"),
  object: s.just("audit_entry"),
  kind: s.oneOf(auditKinds),
  subject: s.such(s.string, "The id of what was changed."),
  actor: s.closed({
    id: s.such(s.string, "A user, an API key, or `operator` or `platform` where neither did it."),
    name: s.such(s.string, "What the user or the key was called then."),
  }),
  credential: s.orNull(
    s.such(
      s.string,
      "The session or the API key. Null: neither did it, or the line is from before 2026-11-28.",
    ),
  ),
  ip: s.orNull(
    s.such(s.string, "The address of the connection. Null: there was no request, or it is not known."),
  ),
  forwarded_for: s.orNull(
    s.such(s.string, "What `x-forwarded-for` said, where it named others. Whoever calls can write it."),
  ),
  before: facts,
  after: facts,
  created_at: s.instant,
};
