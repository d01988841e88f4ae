/** Sessions on the gateway: a part of its bundle that is loaded with the first call that has one. */
import type { Sessions } from "#shared/access/sessions.ts";
import { identify } from "#shared/identity/identify.ts";
import { createIdentityKeys } from "#shared/identity/identity-keys.ts";
import type { Aws } from "#shared/platform/aws.ts";
import type { Log } from "#shared/platform/log.ts";
import { keptVersions } from "#shared/platform/secrets.ts";
import type { Tables } from "#shared/store/dynamodb/item-keys.ts";
import { createAuditLog } from "#shared/store/identity/audit.ts";
import { createAuditedKeys } from "#shared/store/identity/audited-keys.ts";
import { createCallers } from "#shared/store/identity/callers.ts";
import { createMembers } from "#shared/store/identity/members.ts";
import { createPace } from "#shared/store/identity/pace.ts";

/** Opens them over these tables and the accounts' secret. Nothing is read before the first call asks. */
export function openSessions(
  aws: Aws,
  tables: Pick<Tables, "accounts" | "keys" | "counters">,
  secret: string,
  log: Log,
): Sessions {
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
