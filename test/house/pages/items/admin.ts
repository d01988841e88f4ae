/** The items of the store: what operators leave who work over HTTP. */
import { adminTokenKey, proposalKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfAdmin: readonly Stored[] = [
  {
    table: "accounts",
    what: "token of the operators' API",
    kept: "for good: it tells who had access",
    changes: "+. Without it its requests are refused. After a restore revoke anew what was revoked since",
    items: [
      {
        what: "token of operators",
        keys: [key(adminTokenKey, "<token>")],
        written: [
          ["`token make`", "no such item"],
          ["`token revoke`", "there is one, and it was not revoked"],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "credit that one operator has proposed",
    kept: "for good",
    changes: "+. Without it nobody can confirm it",
    items: [
      {
        what: "proposed credit",
        keys: [key(proposalKey, "<proposal>")],
        written: [
          ["a credit above the stage's sum", "no such item"],
          [
            "its confirmation",
            "it is open and not over, and both tokens are in force; one transaction with the entry, the wallet and the line of the audit log",
          ],
          ["its refusal", "it is open and not over"],
        ],
      },
    ],
  },
];
