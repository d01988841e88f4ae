/** The operator's command on when an organization is told that its wallet is low. */

import {
  readWalletThresholds,
  showWalletThresholds,
  walletThresholdFacts,
} from "#shared/edges/api/wallet-thresholds.ts";
import { writeLine } from "./audit-lines.ts";
import { command, flag } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** `org wallet-thresholds`. */
export const walletThresholds = command({
  words: "org wallet-thresholds",
  what: "shows or sets when an organization is told that its wallet is low",
  more: "What is not given stays. The audit log tells it once after each recharge, and webhooks do.",
  operands: [id],
  flags: {
    points: flag("X", "fewer points than this; none is never"),
    days: flag("N", "points for fewer days than this, at the pace of the last week; none is never"),
  },
  examples: {
    [sample]: "when it is told",
    [`${sample} --points 50 --days none`]: "below 50 points, however fast they go",
  },
  async run(call) {
    const { points, days } = call.flags;
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    const known = showWalletThresholds(organization);
    if (points === undefined && days === undefined) return { value: known };
    const given = (text: string) => (text === "none" ? null : text);
    const wallet_thresholds = readWalletThresholds({
      below_points: points === undefined ? known.below_points : given(points),
      below_days: days === undefined ? known.below_days : days === "none" ? null : Number(days),
    });
    const before = organization.wallet_thresholds;
    const change = { before, after: wallet_thresholds };
    if (!(await stores.accounts.setRows(organization.id, "wallet_thresholds", change)))
      throw new Error("somebody else changed the thresholds at the same time: repeat the command");
    const after = { wallet_thresholds };
    const facts = { before: walletThresholdFacts(organization), after: walletThresholdFacts(after) };
    await writeLine(organization, { kind: "wallet_thresholds_changed", ...facts }, stores);
    return { value: showWalletThresholds(after) };
  },
});
