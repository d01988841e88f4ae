/** The form that says when a wallet is low: what is wrong with it, and what is sent. An empty field is never. */
import type { ConsoleBody } from "../shared/edges/openapi/route-types.ts";
import type { WalletThresholds } from "./api-types.ts";
import { isPoints } from "./points-text.ts";

/** The most days that the server takes. */
export const lowDaysMax = 90;

export interface LowWalletForm {
  points: string;
  days: string;
}

/** The form as it is set. */
export function lowWalletForm({ below_points, below_days }: WalletThresholds): LowWalletForm {
  return { points: below_points ?? "", days: below_days === null ? "" : String(below_days) };
}

const isDays = (text: string) => /^[1-9]\d?$/.test(text) && Number(text) <= lowDaysMax;

/** The fields that cannot be sent as they are. */
export function wrongLowWallet({ points, days }: LowWalletForm): Set<keyof LowWalletForm> {
  const wrong = new Set<keyof LowWalletForm>();
  if (points.trim() !== "" && !isPoints(points)) wrong.add("points");
  if (days.trim() !== "" && !isDays(days.trim())) wrong.add("days");
  return wrong;
}

/** What is sent of a form without a wrong field. */
export function lowWalletBody({ points, days }: LowWalletForm): ConsoleBody<"set_wallet_thresholds"> {
  return {
    below_points: points.trim() === "" ? null : points.trim(),
    below_days: days.trim() === "" ? null : Number(days.trim()),
  };
}
