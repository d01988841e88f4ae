/** The items of the store: what vendors bill. */
import { billHeadKey, billPartKey, withdrawnBillKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfBills: readonly Stored[] = [
  {
    table: "accounts",
    what: "bill of a vendor, its lines, and the mark of one that is withdrawn",
    kept: "for good; a newer bill, or its mark, stands beside it",
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
      {
        what: "mark of a withdrawn bill",
        keys: [key(withdrawnBillKey, "<provider>", "<bill>")],
        written: [["`bills withdraw`", "there is no such item"]],
      },
    ],
  },
];
