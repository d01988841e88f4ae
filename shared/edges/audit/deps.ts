/** What the audit asks of the outside, and how it may be limited. */
import type { Accounts } from "../../books/accounts/account.ts";
import type { PriceVersion } from "../../books/billing/pricing/price.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import type { DeadLetter } from "../../books/ledger/usage-event.ts";
import type { Meters } from "../../books/meters/meter.ts";
import type { Tasks } from "../../calls/tasks/task.ts";
import type { KeptBooks } from "./kept.ts";
import type { RollupsIn } from "./sums.ts";
import type { Walked, WalkOptions } from "./walk.ts";

export interface AuditDeps {
  accounts: Pick<Accounts, "organizations">;
  meters: Pick<Meters, "everyMeter" | "intent">;
  tasks: Pick<Tasks, "find">;
  ledger: Pick<Ledger, "seal" | "hoursWithEntries" | "entriesOf"> & {
    rollupsIn: RollupsIn;
    prices(version?: string): AsyncIterable<PriceVersion>;
  };
  /** The books item by item. */
  kept: KeptBooks;
  /** The usage queue. The audit takes nothing from it and delays no message. */
  queue: {
    /** How many messages are still to be settled. */
    depth(): Promise<number>;
    /** The dead letters, and how many there are that could not be seen. */
    deadLetters(): Promise<{ deadLetters: DeadLetter[]; unread: number }>;
  };
  now: () => number;
  /** Where the walk begins, and who is told of it. */
  walking?: AuditOptions;
}

interface AuditOptions extends WalkOptions {
  /** What an earlier audit has walked, which goes on there. */
  walked?: Walked;
}
