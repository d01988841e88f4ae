/** Which prices that will change an organization was told of (README.md "Prices that will change"). */
import type { AuditEntry } from "../identity/audit.ts";

export interface ToldPrices {
  organization: string;
  /** Changes with each write. 0: nothing is kept. */
  revision: number;
  /** The last look: its UTC day, and which prices were to change. */
  look: string;
  /** The prices that were told, by their models and versions. */
  told: readonly string[];
}

/** The port of what was told; the store implements it. */
export interface ToldPricesStore {
  of(organization: string): Promise<ToldPrices>;
  /**
   * Keeps a look, in one transaction with the lines of the audit log. False: somebody else has kept one since `before`
   * was read, and nothing was written.
   */
  change(
    before: ToldPrices,
    after: Pick<ToldPrices, "look" | "told">,
    lines: readonly AuditEntry[],
  ): Promise<boolean>;
}
