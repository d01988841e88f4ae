/** Which hits are audited (shared/calls/cache/semantic/README.md "Evidence"). */
import { createHash } from "node:crypto";
import { bounds } from "./bounds.ts";

/** Whether the call of this id would be audited: one of 50, by a hash that nobody can know before the call. */
export function isAudited(request: string): boolean {
  return createHash("sha256").update(request).digest().readUInt32BE(0) % bounds.auditOneOf === 0;
}
