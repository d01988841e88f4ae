import type { UsageEvent } from "../ledger/usage-event.ts";

/** A call as its entries leave it: its last event, and what all of them have charged, 10⁻¹⁸ points. */
export interface BookedCall {
  event: UsageEvent;
  charged: bigint;
}
