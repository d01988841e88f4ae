/** The items of the store: months that are closed. */
import {
  closedMonthKey,
  lastClosedKey,
  monthBalancesPartKey,
} from "#shared/edges/store/dynamodb/account-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfCloses: readonly Stored[] = [
  {
    table: "accounts",
    what: "closed month, and its balances",
    kept: "for good",
    changes:
      "a closed month is not changed. Without the last one, the next close would begin anew, with an opening of all entries before it",
    items: [
      {
        what: "closed month",
        keys: [key(closedMonthKey, "2026-11")],
        written: [
          ["`month close`, after the balances", "there is no such item; one transaction with the next row"],
        ],
      },
      {
        what: "last closed month",
        keys: [key(lastClosedKey)],
        written: [["`month close`", "it is the month before; absent before the first close"]],
      },
      {
        what: "balances of a closed month",
        keys: [key(monthBalancesPartKey, { month: "2026-11", sha256: "<hash>" }, 0)],
        written: [["`month close`", "none: the key has the hash of what they say"]],
      },
    ],
  },
];
