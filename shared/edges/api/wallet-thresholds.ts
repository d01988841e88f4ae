/** When a wallet is low, as the interface takes and shows it (people/thresholds/README.md "What an organization may set"). */
import { type Fields, invalidField } from "../../base/json/fields.ts";
import type { Organization } from "../../books/accounts/account.ts";
import type { WalletThreshold } from "../../books/accounts/wallet-threshold.ts";
import type { AuditFacts } from "../../people/identity/audit.ts";
import { defaultWalletThresholds, thresholdLimits } from "../../people/thresholds/bounds.ts";
import { readBudgetPoints } from "./key-limits.ts";

/** The thresholds of a wallet as they are shown. Null: it is not low by this. */
export function showWalletThresholds({ wallet_thresholds: rows }: Pick<Organization, "wallet_thresholds">) {
  const below = (measure: WalletThreshold["measure"]) =>
    (rows ?? defaultWalletThresholds).find((row) => row.measure === measure)?.below ?? null;
  const days = below("days");
  return {
    object: "wallet_thresholds" as const,
    below_points: below("points"),
    below_days: days === null ? null : Number(days),
  };
}

/** The rows that `below_points` and `below_days` ask for. Throws `invalid_request`, which names the field. */
export function readWalletThresholds(fields: Fields): WalletThreshold[] {
  const { below_points, below_days } = fields;
  if (below_points === undefined) throw invalidField("below_points", "decimal points, or null for none");
  const rows: WalletThreshold[] = [];
  if (below_points !== null)
    rows.push({ measure: "points", below: readBudgetPoints(below_points, "below_points") });
  if (below_days === null) return rows;
  const isDays = Number.isInteger(below_days) && Number(below_days) >= 1;
  if (!isDays || Number(below_days) > thresholdLimits.walletDaysMax)
    throw invalidField(
      "below_days",
      `a whole number from 1 to ${thresholdLimits.walletDaysMax}, or null for none`,
    );
  return [...rows, { measure: "days", below: String(below_days) }];
}

/** The thresholds before or after a change, for the audit log. */
export function walletThresholdFacts(organization: Pick<Organization, "wallet_thresholds">): AuditFacts {
  const { below_points, below_days } = showWalletThresholds(organization);
  return { below_points, below_days };
}
