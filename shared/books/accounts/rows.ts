/** The lists that an organization's record has, and how one is replaced: as a whole, where it is as it was read. */

export const rowsNames = ["policies", "provider_keys", "wallet_thresholds"] as const;
export type RowsName = (typeof rowsNames)[number];
export interface RowsChange<Rows> {
  before: Rows;
  after: NonNullable<Rows>;
}

/** Another list of budgets. The organization's meters must know of it too. */
export interface BudgetsChange<Rows> extends RowsChange<Rows> {
  /** When it is made, Unix milliseconds. */
  at: number;
}
