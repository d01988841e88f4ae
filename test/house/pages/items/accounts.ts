/** The items of the store: what people do at the console. */
import {
  aloneKey,
  auditKey as auditLogKey,
  channelRecordKey,
  codeKey,
  contactKey,
  deviceKey,
  invitationKey,
  invitationTokenKey,
  invoicedKey,
  invoiceKey,
  invoicePlaceKey,
  memberKey,
  membershipKey,
  openInvitationsKey,
  openOrdersKey,
  orderClaimKey,
  orderKey,
  orderPlaceKey,
  ordersOfHourKey,
  organizationAccountKey,
  planEndKey,
  refundKey,
  seriesKey,
  sessionKey,
  userKey,
  velocityKey,
} from "#shared/edges/store/dynamodb/account-keys.ts";
import { storedOfAdmin } from "./admin.ts";
import { storedOfNews } from "./news.ts";
import { storedOfSignOn } from "./sign-on.ts";
import { key, type Stored } from "./stored.ts";
import { storedOfTopUps } from "./top-ups.ts";

export const storedOfAccounts: readonly Stored[] = [
  {
    table: "accounts",
    what: "user",
    kept: "for good",
    version: "`phone_version`, `email_version`: of the accounts' secret that encrypts the contact",
    changes:
      "+. An older release does not know a user without a phone: set `mailFrom` when no function runs it",
    items: [{ what: "user", keys: [key(userKey, "<user>")], written: [["", "no such item"]] }],
  },
  {
    table: "accounts",
    what: "claim of a contact",
    kept: "for good",
    version: "its key is a hash under a version of the accounts' secret",
    changes: "a rotation makes a second claim, and both lead to one user. One without a `user` was given up",
    items: [
      {
        what: "claim of a contact",
        keys: [key(contactKey, "<hash>")],
        written: [["", "it names nobody, or the same user; a sign-up in one transaction with the user"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "partition of an organization",
    kept: "for good",
    changes: "no item of its own: members, invitations, orders and invoices lie under it",
    items: [
      {
        what: "partition of an organization",
        keys: [key(organizationAccountKey, "<org>")],
        written: [["", "nobody writes this item itself"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "membership, both ways",
    kept: "for good",
    changes: "+. A new role needs readers first: an older release knows no rights of it",
    items: [
      {
        what: "membership",
        keys: [key(memberKey, "<org>", "<user>"), key(membershipKey, "<user>", "<org>")],
        written: [["", "both at once; the role is as it was read"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "code, velocity",
    kept: "minutes to 30 hours",
    changes: "all of it may be lost. People then ask for a code again",
    items: [
      {
        what: "code",
        keys: [key(codeKey, "<hash>")],
        written: [
          [
            "",
            "no such item, or as it was read; a guess: guesses are left and it has not ended; spent: it is this code",
          ],
        ],
      },
      {
        what: "count of messages, guesses, calls or orders in a span",
        keys: [key(velocityKey, "<what>", "<span>"), key(ordersOfHourKey, "<org>", 0)],
        written: [["", "below its most"]],
      },
      {
        what: "sum of points that a person has moved alone",
        keys: [key(aloneKey, "<mailbox>", "<day>")],
        written: [
          [
            "a credit of the operators' API",
            "with it the sum is at most the stage's; one transaction with the entry, the wallet, the line of the audit log and the token, which is in force",
          ],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "request of a program to be signed in",
    kept: "70 minutes",
    changes: "all of it may be lost. People then sign the program in again",
    items: [
      {
        what: "request of a program to be signed in",
        keys: [key(deviceKey, "<user code>")],
        written: [
          [
            "",
            "no such item, or one that is over; a poll: the secret is right and the last poll is old enough; decided: it waits and is the one that was shown; used: it is approved, in the transaction of its key",
          ],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "session",
    kept: "90 days",
    changes: "+. A version of the accounts' secret signs its tokens",
    items: [
      {
        what: "session",
        keys: [key(sessionKey, "<user>", "<session>")],
        written: [["", "no such item; a refresh: the generation is as it was read, and nobody has ended it"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "invitation, and its token",
    kept: "7 days",
    changes: "+",
    items: [
      {
        what: "invitation, and its token",
        keys: [key(invitationKey, "<org>", "<id>"), key(invitationTokenKey, "<hash>")],
        written: [
          [
            "",
            "nobody has changed the list since it was read; accepted: it is unused and has not ended, and its inviter may still give the role",
          ],
        ],
      },
    ],
  },
  ...storedOfSignOn,
  {
    table: "accounts",
    what: "open invitations of an organization",
    kept: "for good",
    changes: "an attribute for each. A missing one can be accepted, and is not listed",
    items: [
      {
        what: "open invitations of an organization",
        keys: [key(openInvitationsKey, "<org>")],
        written: [
          [
            "",
            "nobody has changed the list since it was read; accepted: it is unused and has not ended, and its inviter may still give the role",
          ],
        ],
      },
    ],
  },
  {
    table: "accounts",
    what: "audit log",
    kept: "for good",
    changes:
      "never changed once written; new ones +. Older lines lack `credential`, `forwarded_for` and the hash `h`. A new kind of entry is shown by its name",
    items: [
      {
        what: "line of the audit log",
        keys: [key(auditLogKey, "<org>", "aud_<id>")],
        written: [["", "no such item; nothing changes one"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "order, its place among others, the open ones of an organization, the claim of a repeated request, refund",
    kept: "for good",
    changes:
      "+. A new state needs readers first: an older reconciler leaves such an order alone. It does not find orders that are due as `order_recheck`, and knows no channel `points`. An older audit takes the refund of a plan for a gap",
    items: [
      {
        what: "order, and its place",
        keys: [key(orderKey, "<order>"), key(orderPlaceKey, "<org>", "<order>")],
        written: [
          ["", "no such item; later: the state is as it was read; its booking: it has facts of a payment"],
        ],
      },
      {
        what: "open orders",
        keys: [key(openOrdersKey, "<org>")],
        written: [["", "below five, where it rises"]],
      },
      {
        what: "claim of an `Idempotency-Key`",
        keys: [key(orderClaimKey, "<org>", "<hash>")],
        written: [["", "none, or one that is over"]],
      },
      {
        what: "refund",
        keys: [key(refundKey, "<order>", "<refund>")],
        written: [
          ["", "no such item, and of a plan the subscription is as it was read; later: it is `asked`"],
        ],
      },
    ],
  },
  storedOfTopUps,
  {
    table: "accounts",
    what: "when owners are told next that a plan ends",
    kept: "for good",
    changes: "all of it may be lost: nobody is then told",
    items: [
      {
        what: "next message about a plan's end",
        keys: [key(planEndKey, "<org>")],
        written: [["", "its instant is as it was read"]],
      },
    ],
  },
  ...storedOfNews,
  {
    table: "accounts",
    what: "invoice, the claim of its order, the last number of a series",
    kept: "for good",
    changes:
      "an issued invoice is not changed; new ones +. Without `tax` it has none. An older audit takes the numbers for a gap that a restore `skipped`",
    items: [
      {
        what: "invoice, and its place",
        keys: [key(invoiceKey, "<org>", "<invoice>"), key(invoicePlaceKey, "<invoice>")],
        written: [["", "no such item; later: the state is as it was read"]],
      },
      {
        what: "claim of an order by an invoice",
        keys: [key(invoicedKey, "<order>")],
        written: [["", "it names no invoice; its end: it names this one"]],
      },
      {
        what: "series of invoices",
        keys: [key(seriesKey, "<series>")],
        written: [["", "its last number is as it was read"]],
      },
    ],
  },
  {
    table: "accounts",
    what: "record of a channel that operators took out",
    kept: "for good, with its newest 20 acts",
    version: "`revision`, which rises with the time",
    changes: "+. Without it the next pass of the sweep writes no mark on a board that was lost",
    items: [
      {
        what: "record of a channel",
        keys: [key(channelRecordKey, "<channel>")],
        written: [
          [
            "`channel leave` and `channel return`",
            "the revision is as it was read, or there is no such item",
          ],
        ],
      },
    ],
  },
  ...storedOfAdmin,
];
