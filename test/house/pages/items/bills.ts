/** The items of the store: what vendors bill. */
import { billHeadKey, billPartKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfBills: readonly Stored[] = [
  {
    table: "accounts",
    what: "bill of a vendor, and its lines",
    kept: "for good; a newer bill stands beside it",
    changes:
      "a bill is not changed. Without it `bills compare` has nothing to compare with, until it is imported again",
    items: [
      {
        what: "head of a bill",
        keys: [key(billHeadKey, "<provider>", "<bill>")],
        written: [["`bills import`, after the lines", "there is no such item"]],
      },
      {
        what: "lines of a bill",
        keys: [key(billPartKey, "<bill>", 0)],
        written: [["`bills import`", "its head is not there: the same lines may be written again"]],
      },
    ],
  },
];
