/** The store of what organizations buy by themselves (auto-top-up.md "What is stored"). Reads are strongly consistent. */
import type { AuditEntry } from "../identity/audit.ts";
import type { AutoTopUp, ChargeableTopUp } from "./auto-top-up.ts";
import type { Order } from "./order.ts";

/**
 * What became of a new automatic order. `changed`: the settings are others by now, or an order is open. `month_full`: the
 * month's most would be exceeded. `too_many`, `too_often`: as of an order by hand.
 */
type AutomaticCreation = "created" | "changed" | "month_full" | "too_many" | "too_often";

/** A change of the settings, with the lines of the audit log about it. */
interface TopUpChange {
  lines: readonly AuditEntry[];
  /** A closed order, whose sum counts no more in its month. */
  closed?: Order;
}

export interface AutoTopUps {
  /** The settings of an organization; off, with the revision 0, where there are none. */
  of(organization: string): Promise<AutoTopUp>;
  /** The sum of a month's automatic orders that have not closed, in minor units. The month is such as `2026-11`. */
  used(organization: string, month: string, currency: string): Promise<number>;
  /** Replaces the settings as they were read, in one transaction. False where somebody has changed them since. */
  change(before: AutoTopUp, after: AutoTopUp, change: TopUpChange): Promise<boolean>;
  /** Puts an automatic order by the settings as they were read, takes its place, and counts it in its month. */
  order(topUp: ChargeableTopUp, order: Order, due_at: number, line: AuditEntry): Promise<AutomaticCreation>;
}
