/** The table `counters`: which invariant covers which field. */
import { passing, shownNowhere, type TableKinds, untied } from "./tie.ts";

const limited = untied("a limit of the minute or day goes by it, and no charge. It is over within a day");

export const counters: TableKinds = {
  meter: {
    at: /^M#[^#]+#\d+ $/,
    ties: {
      kind: untied("without it the index loses the item, and every invariant about the meter fails"),
      mode: ["meters_balance"],
      granted: ["meters_balance", "credits_match_grants"],
      avail: ["meters_balance"],
      used: ["meters_balance", "wallets_match_ledger"],
      fz: shownNowhere,
      opened: shownNowhere,
      owner: shownNowhere,
      gone: shownNowhere,
    },
    named: [
      [/^q\d{8}$/, ["quotas_match_ledger"]],
      [/^k\w{10}:b/, ["budgets_match_ledger"]],
      [/^h\w{26}$/, ["meters_balance", "holds_end"]],
      [/^v\w{26}$/, ["meters_balance", "tasks_end"]],
      [/^z\w{26}$/, ["meters_balance", "holds_end"]],
      [/^[xy]\w+$/, untied("a mark that stops late writes for an hour")],
      [/^(k\w{10}:)?[st][a-z0-9]+$/, limited],
      [/^(k\w{10}:)?d\d+$/, limited],
    ],
  },
  intent: { at: /^I#/, ties: { intent: passing, attempt: passing, expires_at: passing } },
  "idempotency key, kept answer": {
    at: /^Y#/,
    ties: {
      request: passing,
      fingerprint: passing,
      state: passing,
      answer: passing,
      until: passing,
      expires_at: passing,
    },
  },
};
