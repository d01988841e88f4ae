/** The items of the store: what organizations buy by themselves. */
import { topUpKey, topUpMonthKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfTopUps: Stored = {
  table: "accounts",
  what: "automatic top-up of an organization, and what it has ordered in a month",
  kept: "for good",
  changes: "+; without it nothing is bought by itself",
  items: [
    {
      what: "automatic top-up",
      keys: [key(topUpKey, "<org>")],
      written: [
        [
          "a change, and the end of its order",
          "the revision is as it was read; one transaction with the audit log",
        ],
        [
          "an automatic order",
          "the revision is as it was read, and no order is open; in the transaction of the order",
        ],
      ],
    },
    {
      what: "month of automatic top-up",
      keys: [key(topUpMonthKey, "<org>", "2026-11", "USD")],
      written: [
        ["an automatic order", "the month has room for it; in the transaction of the order"],
        ["its close", "the settings are as they were read; in their transaction"],
      ],
    },
  ],
};
