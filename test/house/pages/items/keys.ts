/** The items of the store: what organizations, keys and meters keep. */
import {
  intentKey,
  keyByHash,
  keyCountKey,
  keyOfOrganization,
  meterKey,
  organizationKey,
  passKey,
  projectKey,
  replayAnswerKey,
  replayKey,
  thresholdsKey,
} from "#shared/edges/store/dynamodb/item-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedOfKeys: readonly Stored[] = [
  {
    table: "keys",
    what: "organization",
    kept: "for good",
    changes:
      "+. An older release cannot book a time that starts where one was paid back (`returned`): the order stays `paid`",
    items: [
      {
        what: "organization",
        keys: [key(organizationKey, "<org>")],
        written: [
          ["`org create`", "no such item"],
          [
            "freeze, unfreeze",
            "the wallet's shards are as they were read; the same transaction marks every meter item",
          ],
          ["a change of shards", "the wallet is as it was read; the same transaction writes the first shard"],
          ["a change of subscription", "the subscription is as it was read"],
          ["permissions, and the epoch of its cache", "the organization exists"],
          [
            "`budgets` and `policies` of its levels",
            "the rows are as they were read; one transaction with the audit log",
          ],
          [
            "a project gets its record, is archived or brought back",
            "what it says of its projects is as it was read; the same transaction writes the project",
          ],
        ],
      },
    ],
  },
  {
    table: "keys",
    what: "key, by hash and by organization; where a key is now",
    kept: "for good",
    version: "`hash_version`: of the pepper; absent, 1",
    changes:
      "+. An older release does not enforce a limit or a policy that it does not know. Keys that it makes have no `parent` and `root`. It refuses a key with 40101 for an hour after a change, and takes no old secret",
    items: [
      {
        what: "key, by its hash",
        keys: [key(keyByHash, "<hash>")],
        written: [["`key create`", "no such item; one transaction with the next row"]],
      },
      {
        what: "key, by its organization",
        keys: [key(keyOfOrganization, "<org>", "<key>")],
        written: [["`key create`", "no such item"]],
      },
      {
        what: "both key items",
        keys: [],
        written: [
          [
            "revocation",
            "both have the hash and the revision as they were read; the same transaction marks every item of the key's meter",
          ],
          ["a change", "likewise; one transaction with the line of the audit log"],
          ["the end of a change of a budget", "both have the hash and the revision as they were read"],
        ],
      },
      {
        what: "both key items, and where the key is now, at the hash it leaves",
        keys: [],
        written: [
          [
            "the first use after a rotation",
            "nothing is at the new hash; the key is active at the old one, and both records have its hash and revision as they were read; one transaction",
          ],
        ],
      },
      {
        what: "where a key is now",
        keys: [key(keyByHash, "<hash>")],
        written: [
          [
            "`key create` during a rotation, at its hash under the version before",
            "no such item; in the transaction of the key",
          ],
          ["`pepper drop` removes it", "it is no key's record"],
        ],
      },
      {
        what: "whose an old secret was, at its hash",
        keys: [key(keyByHash, "<hash>")],
        written: [
          [
            "a rotation of the key, in its transaction",
            "the key's record is there, with the hash and the revision as they were read",
          ],
          ["`pepper drop` removes it, when that secret is out of force", "it is no key's record"],
        ],
      },
    ],
  },
  {
    table: "keys",
    what: "project",
    kept: "for good",
    changes:
      "+. An older release lets calls of an archived project in, and lets every member make keys in one",
    items: [
      {
        what: "project",
        keys: [key(projectKey, "<org>", "<project>")],
        written: [
          [
            "making it, or its first change",
            "no such item; one transaction with the organization and the line of the audit log",
          ],
          ["a change", "the revision is as it was read; one transaction with the line of the audit log"],
        ],
      },
    ],
  },
  {
    table: "keys",
    what: "keys in use, of an organization and of a member",
    kept: "for good",
    changes:
      "without `keys` all keys are counted anew. An older release does not count those that it makes, so a limit may be passed by as many",
    items: [
      {
        what: "keys in use",
        keys: [key(keyCountKey, "<org>"), key(keyCountKey, "<org>", "<user>")],
        written: [
          [
            "`key create`, in its transaction",
            "there is room, where the key has a limit ([how many keys](shared/people/identity/members.md#how-many-keys))",
          ],
        ],
      },
    ],
  },
  {
    table: "counters",
    what: "meter",
    kept: "for good",
    changes:
      "one attribute for each counter and hold. A new kind gets a new first letter, which older releases leave alone. An older sweep cannot end a hold of several budgets, and a later one does",
    items: [
      {
        what: "meter",
        keys: [key(meterKey, "<meter>", 0)],
        written: [
          [
            "each write of a call, a credit or a transfer",
            "[one of its own](shared/edges/store/README.md#the-meter-item)",
          ],
        ],
      },
    ],
  },
  {
    table: "counters",
    what: "state of the sweep's pass",
    kept: "for good",
    changes: "+. Without it, a pass reads every meter from the first",
    items: [
      {
        what: "state of the sweep's pass",
        keys: [key(passKey)],
        written: [["the sweep, after a pass that read every meter, or had no time for all", "none"]],
      },
    ],
  },
  {
    table: "counters",
    what: "what was told of thresholds",
    kept: "for good",
    changes: "+. Without it, what is reached is told once more",
    items: [
      {
        what: "what was told of a meter's thresholds",
        keys: [key(thresholdsKey, "<meter>")],
        written: [
          [
            "the sweep, when something is told, once a day where a wallet was charged, and when it first meets the meter",
            "the revision is as it was read; one transaction with the lines of the audit log",
          ],
        ],
      },
    ],
  },
  {
    table: "counters",
    what: "intent",
    kept: "3 days",
    changes: "+, in `intent`. The sweep must know a member first",
    items: [
      {
        what: "intent",
        keys: [key(intentKey, "<request>")],
        written: [
          [
            "admission, and a call that turns to a fallback",
            "no item, or one of the same or an earlier attempt",
          ],
          ["admissions of one moment", "no item"],
          ["the sweep: nothing was sent", "no item; a closed intent is put in its place"],
          ["the sweep: this attempt is the last", "there is an intent"],
        ],
      },
    ],
  },
  {
    table: "counters",
    what: "idempotency key",
    kept: "a day",
    changes: "+. A new `state` needs readers first",
    items: [
      {
        what: "idempotency key",
        keys: [key(replayKey, "<hash of caller, route and key>")],
        written: [
          [
            "the claim",
            "no item, or one whose time is over; for a video task also one that names a given request",
          ],
          ["its end: answer kept, not kept, or released", "the item still names this request"],
        ],
      },
    ],
  },
  {
    table: "counters",
    what: "kept answer",
    kept: "a day",
    version: "the purpose of its encryption key, `replayed answers`",
    changes: "another form gets another purpose. Who cannot open it answers 40900",
    items: [
      {
        what: "kept answer",
        keys: [key(replayAnswerKey, "<request>")],
        written: [["the end of a call with a key", "none: only this call writes it"]],
      },
    ],
  },
];
