/** What orders need of the outside. */

import { describeError, type Log } from "../../base/platform/log.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import { type AuditedChange, type AuditPort, auditEntry } from "../identity/audit.ts";
import type { AutoTopUps } from "../payments/auto-top-ups.ts";
import type { Order } from "../payments/order.ts";
import type { Orders } from "../payments/orders.ts";
import type { PaymentPlatforms } from "../payments/platform.ts";

export interface OrderDeps {
  orders: Orders;
  accounts: Pick<Accounts, "organization">;
  ledger: Pick<Ledger, "feeOf">;
  platforms: PaymentPlatforms;
  topUps: AutoTopUps;
  catalog: Pick<ModelCatalog, "plan" | "plans" | "recharge">;
  audit: AuditPort;
  log: Log;
  now: () => number;
}

/** Who changed an order, as the audit log has it. */
export interface OrderActor {
  id: string;
  name: string;
  ip: string | null;
  /** What it was done with, where that is known. */
  session?: { id: string };
  /** Why, where that is told. */
  reason?: string;
}

/** What no member did, but the platform by its evidence. */
export const byPlatform: OrderActor = { id: "platform", name: "", ip: null };
/** What the operator did by a command. */
export const byOperator: OrderActor = { id: "operator", name: "", ip: null };

/** Writes to the audit log. A failure is a line in our own log, because the order has changed already. */
export async function audit(
  { id, organization }: Pick<Order, "id" | "organization">,
  change: Omit<AuditedChange, "subject">,
  actor: OrderActor,
  deps: Pick<OrderDeps, "audit" | "log" | "now">,
): Promise<void> {
  const at = deps.now();
  try {
    const { session, reason } = actor;
    const by = { user: actor, organization: { id: organization }, ...(session && { session }) };
    const told = reason === undefined ? change : { ...change, after: { ...change.after, reason } };
    await deps.audit.write(auditEntry(by, { ...told, subject: id }, actor.ip, at));
  } catch (error) {
    deps.log("error", "audit_not_written", { organization, order: id, error: describeError(error) });
  }
}
