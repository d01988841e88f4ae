/** Sessions on the gateway: a part of its bundle that is loaded with the first call that has one. */

import type { Aws } from "#shared/base/platform/aws.ts";
import type { Log } from "#shared/base/platform/log.ts";
import { keptVersions } from "#shared/base/platform/secrets.ts";
import type { SessionPorts } from "#shared/calls/access/sessions.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { createPace } from "#shared/edges/store/identity/pace.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { createIdentityKeys } from "#shared/people/identity/identity-keys.ts";

/** Opens them over these tables and the accounts' secret. Nothing is read before the first call asks. */
export function openSessions(
  aws: Aws,
  tables: Pick<TableNames, "accounts" | "keys" | "counters">,
  secret: string,
  log: Log,
): SessionPorts {
  const keys = createIdentityKeys(keptVersions(aws, secret, log));
  const callers = createCallers(aws, tables);
  const pace = createPace(aws, tables, Date.now);
  const { users } = createMembers(aws, tables);
  return {
    identify: (request) => identify(request, { keys, callers, now: Date.now, pace }),
    members: { users },
    auditedKeys: createAuditedKeys(aws, tables),
    auditLog: createAuditLog(aws, tables),
  };
}
