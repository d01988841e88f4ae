/** The items of the store: what may be lost: the board and the cache. */

import {
  auditKey,
  evidenceKey,
  monthKey,
  pageKey,
  refusedKey,
} from "#shared/edges/store/dynamodb/cache-keys.ts";
import {
  cacheEntryKey,
  channelStateKey,
  takenOutKey,
  windowKey,
} from "#shared/edges/store/dynamodb/item-keys.ts";
import { key, type Stored } from "./stored.ts";

export const storedInPassing: readonly Stored[] = [
  {
    table: "board",
    what: "window, state of a channel, mark of one that is taken out",
    kept: "20 minutes, a day, a day after its return",
    changes: "+. All of it may be lost",
    items: [
      {
        what: "window of 15 s",
        keys: [key(windowKey, "<model>", 0)],
        written: [["settle adds answers, the gateway adds faults, races and refusals for a limit", "none"]],
      },
      {
        what: "state of a channel",
        keys: [key(channelStateKey, "<model>", "<channel>")],
        written: [
          ["limited until `l`", "it is not limited for longer"],
          [
            "open until `o`, at level `v`, for the witness `w` or for all; `b` is whose probe failed; takes the claim `p` away",
            "it is not open now; for all, also if it is open for a witness",
          ],
          [
            "the claim of the probe, until `p`",
            "it was opened, is no longer open now, and nobody's claim has time left",
          ],
          ["closed: `o`, `v`, `p`, `w` and `b` are removed", "it was opened"],
        ],
      },
      {
        what: "mark of a channel that is taken out",
        keys: [key(takenOutKey, "<model>", "<channel>")],
        written: [
          ["taken out: `o`, until `u` or for good", "none is there, or its revision `r` is lower"],
          ["returned: `o` and `u` are removed", "one is there, and its revision `r` is lower"],
        ],
      },
    ],
  },
  {
    table: "cache",
    what: "cached answer, and alias of one",
    kept: "until its time",
    version: "the purpose of its encryption key, `cached answers`",
    changes: "another purpose gives other keys. Older answers are then not found",
    items: [
      {
        what: "entry",
        keys: [key(cacheEntryKey, "<scope>", "<context and question>")],
        written: [
          ["the end of a call whose answer may be kept", "none: the last one stays"],
          [
            "feedback, or an audit that refutes it: `until` becomes 0, and the box is removed. Its aliases lead nowhere then",
            "the entry came from this call, and has its box",
          ],
        ],
      },
    ],
  },
  {
    table: "cache",
    what: "evidence, mark of an audit",
    kept: "30 days",
    changes: "+. All of it may be lost",
    items: [
      {
        what: "evidence of a context",
        keys: [key(evidenceKey, "<scope>", "<context>")],
        written: [
          ["calls and audits add to it", "none"],
          ["switched off until `off_until`; all counts are removed", "it is not off now"],
        ],
      },
      {
        what: "mark of an audit",
        keys: [key(auditKey, "<scope>", "<request>")],
        written: [["the learner; one transaction with the evidence and the month", "no item"]],
      },
    ],
  },
  {
    table: "cache",
    what: "page of a context",
    kept: "until its last record",
    version: "the first byte of its box, 1",
    changes: "a page of another form is begun anew",
    items: [
      {
        what: "page of a context",
        keys: [key(pageKey, "<scope>", "<context>", "<page>")],
        written: [["the learner", "the version that was read, or no item"]],
      },
    ],
  },
  {
    table: "cache",
    what: "sums of a month of the cache",
    kept: "400 days after its last call",
    changes: "sums are added as attributes",
    items: [
      {
        what: "sums of a month",
        keys: [key(monthKey, "<org>", "<month>", "<project>")],
        written: [["settle adds hits, and whoever adds evidence adds it here too", "none"]],
      },
    ],
  },
  {
    table: "cache",
    what: "refused calls of ten seconds",
    kept: "a week",
    changes:
      "a list for each call, longer at its end. A call whose error is unknown is not shown. All of it may be lost",
    items: [
      {
        what: "refused calls of ten seconds",
        keys: [key(refusedKey, "<org>", 0)],
        written: [["the gateway adds one, after its answer", "it has fewer than 16"]],
      },
    ],
  },
];
