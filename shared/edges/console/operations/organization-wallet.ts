/** When the members of an organization are told that its wallet is low, as they set and see it. */
import { jsonReply } from "../../../base/http/message.ts";
import {
  readWalletThresholds,
  showWalletThresholds,
  walletThresholdFacts,
} from "../../api/wallet-thresholds.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { changeRows, type RowsDeps } from "./organization-budgets.ts";

/** `GET /api/v1/wallet-thresholds`. */
export function showThresholds(call: ConsoleCall) {
  return jsonReply(showWalletThresholds(callerOf(call).organization));
}

/** `PUT /api/v1/wallet-thresholds`: sets both. The answer is what holds then. */
export async function setThresholds(call: ConsoleCall, deps: RowsDeps) {
  const fields = readFields<keyof ConsoleBody<"set_wallet_thresholds">>(call.request, [
    "below_points",
    "below_days",
  ]);
  const wallet_thresholds = readWalletThresholds(fields);
  const { rows } = await changeRows(
    call,
    (organization) => ({
      rows: wallet_thresholds,
      line: {
        kind: "wallet_thresholds_changed",
        subject: organization.id,
        before: walletThresholdFacts(organization),
        after: walletThresholdFacts({ wallet_thresholds }),
      },
    }),
    (organization, rows, entry) =>
      deps.members.changeOrganization({ organization, wallet_thresholds: rows, entries: [entry] }),
    deps,
  );
  return jsonReply(showWalletThresholds({ wallet_thresholds: rows }));
}
