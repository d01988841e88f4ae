/** When an organization is told that its wallet is low (people/thresholds/README.md). */
export interface WalletThreshold {
  /** What is below: the wallet's points, or the days for which they suffice. */
  measure: "points" | "days";
  /** A decimal string of points, or a whole number of days. */
  below: string;
}
