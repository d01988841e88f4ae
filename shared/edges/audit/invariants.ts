/** The invariants of the audit in the order of its report, each with what it compares. */
export const invariants = {
  meters_balance: "On each wallet item, what was granted is what is free, held and used.",
  wallets_match_ledger: "Each wallet has used what the ledger charged it.",
  credits_match_grants: "Each wallet was granted what the ledger credited.",
  quotas_match_ledger: "Each quota month has counted the calls of its entries.",
  budgets_match_ledger:
    "Each key has spent of its budget what its entries say, and other levels no more than that.",
  plan_days_match: "The running day of a plan has counted no more than its calls came to.",
  rollups_match_entries: "Each hour is the sum of its entries.",
  days_match_hours: "Each sealed day is the sum of its hours.",
  months_match_days: "Each sealed month is the sum of its days.",
  books_balance: "Each entry moves its event's points from one account of the organization to another.",
  fees_are_posted: "Each paid period has one fee of its plan.",
  orders_match_ledger: "Each credited order is booked once, of what was paid.",
  refunds_match_ledger: "Each refund is booked once, and each order says what its refunds come to.",
  prices_resolve: "The history has each price of an entry, and each version is the hash of its price.",
  entries_are_as_written: "Each entry has the hash that it was written with, and no entry has gone or come.",
  entries_agree: "The place of an entry, its id, its dates, its accounts and its event say the same.",
  charges_follow_prices: "Each charge is what its usage costs at its price.",
  meters_are_whole: "Each meter that an account names has its items, and they are frozen as the account is.",
  accounts_agree: "Each organization's record is whole, and is there for whatever names it.",
  keys_agree: "Both records of a key say the same, and no count of keys is too low.",
  tasks_match_ledger: "Each video that was charged has its task, and each task that is settled its entry.",
  orders_match_evidence: "Each order is in the state that its evidence, bookings and refunds say.",
  invoices_match_orders:
    "Each invoice is of what was paid for its orders, which name it. No number is missing.",
  members_agree: "Both records of a membership say the same, and each phone and address leads to a user.",
  holds_end: "No hold is older than the longest call and two sweeps.",
  tasks_end: "The hold of a task ends with its task.",
  events_arrive: "No dead letter is about to be lost.",
} as const;

export type InvariantName = keyof typeof invariants;
