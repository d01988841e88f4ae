/** The end of an automatic order: its place is free, or top-up pauses (people/payments/auto-top-up.md "When a charge fails"). */
import type { Log } from "../../base/platform/log.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { type AuditEntry, type AuditFacts, type AuditKind, auditEntry } from "../identity/audit.ts";
import { type AutoTopUp, topUpEnd } from "../payments/auto-top-up.ts";
import type { AutoTopUps } from "../payments/auto-top-ups.ts";
import type { Order } from "../payments/order.ts";
import type { Orders } from "../payments/orders.ts";
import { byPlatform } from "./deps.ts";

export interface TopUpEndDeps {
  topUps: AutoTopUps;
  orders: Pick<Orders, "find">;
  log: Log;
  now: () => number;
}

/** Settings change seldom, and an end that meets a change begins again. */
const roundsMax = 5;

/**
 * Frees the place of an automatic order that is over, once whoever does it, and tells what became of it. Gives the settings
 * as they are then. An order that has no place, or is not over, changes nothing.
 */
export async function endTopUp(order: Order, deps: TopUpEndDeps): Promise<AutoTopUp> {
  for (let round = 0; round < roundsMax; round++) {
    const topUp = await deps.topUps.of(order.organization);
    const now = deps.now();
    const end = topUp.order === order.id ? topUpEnd(topUp, order, now) : undefined;
    if (!end) return topUp;
    const { after, outcome, reason } = end;
    // An order that was dismissed may have been charged. So its sum stays in the month, as that of a refund does.
    const closed = order.state === "closed" && !order.doubt ? { closed: order } : {};
    const lines = linesOf(order, topUp, end, now);
    if (!(await deps.topUps.change(topUp, after, { lines, ...closed }))) continue;
    const told = { organization: order.organization, order: order.id, outcome };
    deps.log(outcome === "paused" ? "warn" : "info", "top_up_ended", { ...told, ...(reason && { reason }) });
    return { ...after, revision: topUp.revision + 1 };
  }
  throw new Error(`the top-up of ${order.organization} keeps changing`);
}

function linesOf(
  { id, organization, amount, currency }: Order,
  { card }: AutoTopUp,
  { outcome, reason = "", after }: NonNullable<ReturnType<typeof topUpEnd>>,
  now: number,
): AuditEntry[] {
  const by = { user: byPlatform, organization: { id: organization } };
  const line = (kind: AuditKind, subject: string, facts: AuditFacts) =>
    auditEntry(by, { kind, subject, after: facts }, byPlatform.ip, now);
  const sum = { amount: formatMoney(amount, currency), currency, card: card?.last_four ?? null };
  if (outcome === "charged") return [line("auto_top_up_charged", id, sum)];
  if (outcome === "unwanted") return [];
  const failed = line("auto_top_up_failed", id, { ...sum, reason, failures: after.failures ?? 0 });
  if (outcome === "failed") return [failed];
  const paused = line("auto_top_up_paused", organization, { reason, order: id, card: sum.card });
  // Both are of one instant. The reader sees the failure first.
  const [first = "", second = ""] = [failed.id, paused.id].sort();
  return [
    { ...failed, id: first },
    { ...paused, id: second },
  ];
}
