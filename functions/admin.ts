/** The operators' API on the console's function, with what only its routes need. */
import { awsOptionsFromEnv, createAws } from "#shared/base/platform/aws.ts";
import { required } from "#shared/base/platform/env.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { adminAnswers } from "#shared/edges/admin/operations/answers.ts";
import { createAdmin } from "#shared/edges/admin/pipeline.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAuditedCredits, createCreditProposals } from "#shared/edges/store/admin/credits.ts";
import { createAdminTokens } from "#shared/edges/store/admin/tokens.ts";
import { createMonthCloses } from "#shared/edges/store/closes.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import type { ConsoleDeps } from "./console-deps.ts";
import { tablesIn } from "./tables.ts";

/** What answers its requests. `deps` are those of the console. */
export function openOperators(deps: ConsoleDeps): ReturnType<typeof createAdmin> {
  const aws = createAws(awsOptionsFromEnv(process.env));
  const tables = tablesIn(["accounts", "keys", "counters", "ledger", "board"]);
  const { members, auditLog, auditedKeys, peppers } = deps.organization;
  const tokens = createAdminTokens(aws, tables);
  const answers = adminAnswers({
    ...deps,
    tokens,
    ...{ members, auditLog, auditedKeys, peppers },
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    replays: createReplays(aws, tables),
    ledger: createLedger(aws, tables, deps.now),
    records: createChannelRecords(aws, tables),
    closes: createMonthCloses(aws, tables),
    credits: createAuditedCredits(aws, tables),
    proposals: createCreditProposals(aws, tables),
    fourEyesPoints: parsePoints(required("fourEyesPoints")),
  });
  return createAdmin(answers, { ...deps, tokens });
}
