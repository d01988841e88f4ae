/** The invariants of the audit in the order of its report, each with what it compares (operations/audit/README.md "Invariants"). */
export const invariants = {
  meters_balance: "On each wallet item, what was granted is what is free, held and used.",
  wallets_match_ledger: "Each wallet has used what the ledger charged it.",
  credits_match_grants: "Each wallet was granted what the ledger credited.",
  quotas_match_ledger: "Each quota month has counted the calls of its entries.",
  budgets_match_ledger: "Each key has spent of its budget what its entries say.",
  rollups_match_entries: "Each hour is the sum of its entries.",
  days_match_hours: "Each sealed day is the sum of its hours.",
  months_match_days: "Each sealed month is the sum of its days.",
  books_balance: "Each entry moves its event's points from one account of the organization to another.",
  fees_are_posted: "Each paid period has one fee of its plan.",
  orders_match_ledger: "Each credited order is booked once, of what was paid.",
  refunds_match_ledger: "Each refund is booked once, and each order says what its refunds come to.",
  prices_resolve: "The history has each price of an entry, and each version is the hash of its price.",
  wallets_are_whole: "Each shard that a wallet has opened has its item.",
  holds_end: "No hold is older than the longest call and two sweeps.",
  tasks_end: "The hold of a task ends with its task.",
  events_arrive: "No dead letter is about to be lost.",
} as const;

export type InvariantName = keyof typeof invariants;
