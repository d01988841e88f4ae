/** The items of the store: webhooks, deliveries, and how far the event bus has been told. */
import {
  deliveryKey,
  eventsPlaceKey,
  toldPricesKey,
  webhooksKey,
} from "#shared/edges/store/dynamodb/account-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfNews: readonly Stored[] = [
  {
    table: "accounts",
    what: "webhooks of an organization",
    kept: "for good",
    version: "`version` of each secret: of the accounts' secret that encrypts it",
    changes: "+; without it nobody is told by webhooks",
    items: [
      {
        what: "webhooks",
        keys: [key(webhooksKey, "<org>")],
        written: [
          ["a change", "the revision is as it was read; one transaction with the line of the audit log"],
          ["a run looks at it", "its instant is as it was read"],
          ["how far the log is told", "it is in the index"],
          ["mails are made", "it is not in the index, or due later"],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "which prices that will change an organization was told of",
    kept: "for good",
    changes: "+; without it an organization is told once more",
    items: [
      {
        what: "what was told of prices",
        keys: [key(toldPricesKey, "<org>")],
        written: [
          [
            "the hourly run, once a day while a price is to change",
            "the revision is as it was read; one transaction with the lines of the audit log",
          ],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "how far the event bus has been told",
    kept: "for good",
    changes: "+; without it the bus is told what happens from then on",
    items: [
      {
        what: "place of the event bus",
        keys: [key(eventsPlaceKey)],
        written: [
          ["the first run of a stage with a bus", "no such item"],
          ["a run", "nobody has moved it since it was read"],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "delivery of a message to a target",
    kept: "30 days",
    changes: "all of it may be lost: what was sent in the last quarter of an hour is then sent again",
    items: [
      {
        what: "delivery",
        keys: [key(deliveryKey, "<org>", "<target>", "<message>")],
        written: [
          ["a run that finds the line; `mails` as the target notes that people have theirs", "no such item"],
          ["an attempt, before and after it", "its instant is as it was read"],
          ["a replay", "there is one"],
        ],
      },
    ],
  },
];
