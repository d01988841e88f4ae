/** What pays for calls, as a form proposes it. */
import type { Account, BillingMode } from "./api-types.ts";

/** The wallet, unless it is empty and a plan runs: a newcomer's wallet is, and their first call must not be refused. */
export function usualMode({ wallet, plan }: Pick<Account, "wallet" | "plan">, now: number): BillingMode {
  const hasPoints = wallet !== null && /^[^-]*[1-9]/.test(wallet.balance_points);
  const isRunning = plan !== null && (plan.ends_at === null || Date.parse(plan.ends_at) > now);
  return hasPoints || (wallet !== null && !isRunning) ? "payg" : "subscription";
}
