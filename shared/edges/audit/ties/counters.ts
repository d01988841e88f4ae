/** The table `counters`: which invariant covers which field. */
import { allPassing, type TableKinds, untied } from "./tie.ts";

const unmarked = untied(
  "a call that died without a mark is a forgotten hold, and is closed within an hour and a half",
);
const limited = untied("a limit of the minute or day goes by it, and no charge. It is over within a day");

const told = untied("it says which lines the audit log has of thresholds, and no charge");

export const counters: TableKinds = {
  meter: {
    at: /^M#[^#]+#\d+ $/,
    ties: {
      kind: ["meters_are_whole"],
      mode: ["meters_are_whole"],
      granted: ["meters_balance", "credits_match_grants"],
      avail: ["meters_balance"],
      used: ["meters_balance", "wallets_match_ledger"],
      c: ["entries_are_as_written"],
      fz: ["meters_are_whole"],
      opened: ["meters_are_whole"],
      owner: ["meters_are_whole"],
      mark: unmarked,
      marked: unmarked,
      moves: untied("it only tells readers of several items whether parts of budgets moved between them"),
      gone: untied("a wallet may die while it changes its shards, and the next pass goes on"),
    },
    named: [
      [/^l\d+$/, ["plan_days_match"]],
      [/^q\d{8}$/, ["quotas_match_ledger"]],
      [/^k\w{10}:b/, ["budgets_match_ledger"]],
      [/^(O|P[\w-]{8}|M\w{10}):b/, ["budgets_match_ledger"]],
      [
        /^C[\w-]{8}:b/,
        untied("sums of hours do not know end customers. It bounds later calls, and is no charge"),
      ],
      [/^h\w{26}$/, ["meters_balance", "holds_end"]],
      [/^v\w{26}$/, ["meters_balance", "tasks_end"]],
      [/^z\w{26}$/, ["meters_balance", "holds_end"]],
      [/^[xy]\w+$/, untied("a mark that stops late writes for an hour")],
      [/^(k\w{10}:)?[st][a-z0-9]+$/, limited],
      [/^(k\w{10}:)?d\d+$/, limited],
    ],
  },
  "what was told of thresholds": {
    at: /^T#/,
    lost: "what is reached is told once more",
    ties: {
      organization: told,
      revision: told,
      marks: told,
      samples: told,
    },
  },
  intent: { at: /^I#/, ...allPassing },
  "idempotency key, kept answer": { at: /^Y#/, ...allPassing },
};
