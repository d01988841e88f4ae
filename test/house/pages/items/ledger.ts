/** The items of the store: what the ledger and tasks keep. */
import {
  adjustmentKey,
  creditKey,
  entryKey,
  feeKey,
  priceKey,
  rollupKey,
  sealKey,
  taskKey,
  taskRequestKey,
} from "#shared/edges/store/dynamodb/item-keys.ts";
import { key, sampleRequest as request, type Stored } from "./stored.ts";

/** The sum of a span, in the partition of the organization as a whole. */
const rollup = (span: string, part = "") =>
  key(
    rollupKey,
    { organization: "<org>", project: "" },
    span,
    { model: "<model>", owner: "<project>", key: "<key>" },
    part,
  );

export const storedOfLedger: readonly Stored[] = [
  {
    table: "ledger",
    what: "usage entry, its correction",
    kept: "for good",
    version: "`event.version`: 1, or 2 in a part of an hour",
    changes:
      "never changed once written; new ones +. Without `h` it is older than [hashes](shared/edges/audit/README.md#hashes). A route has [two forms](shared/edges/store/README.md#what-a-call-writes), and both are read. Older events lack `error` and the status of an attempt",
    items: [
      {
        what: "usage entry",
        keys: [key(entryKey, "<org>", request), key(entryKey, "<org>", request, true)],
        written: [
          [
            "settle, the sweep, the end of a video; the gateway when the queue takes no event",
            "no such entry; one transaction with its rollups",
          ],
        ],
      },
      {
        what: "correction",
        keys: [key(adjustmentKey, "<org>", request), key(adjustmentKey, "<org>", request, true)],
        written: [
          [
            "settle, when the real event follows an estimate",
            "no such entry; one transaction with rollups and meter",
          ],
        ],
      },
    ],
  },
  {
    table: "ledger",
    what: "credit, plan fee",
    kept: "for good",
    changes:
      "never changed once written; new ones +. Without `of` a refund is of the oldest bought points; without `order` a fee is of the order booked in its instant. An older release leaves a `payment` by points out of statements and refunds, and its audit takes it for a gap",
    items: [
      {
        what: "credit",
        keys: [key(creditKey, "<org>", "<reference>")],
        written: [
          [
            "`org credit`; an order or a refund of points",
            "no such entry; one transaction with the wallet, and the order",
          ],
        ],
      },
      {
        what: "payment of a plan",
        keys: [key(creditKey, "<org>", "<reference>")],
        written: [
          [
            "an order or a refund of a plan",
            "no such entry; one transaction with subscription, fee and order, and with the wallet where points pay",
          ],
        ],
      },
      {
        what: "plan fee",
        keys: [key(feeKey, "<org>", "plan_fee#<…>")],
        written: [
          [
            "the command that begins a paid period, or the hourly schedule; an order or a refund of a plan",
            "no such entry",
          ],
        ],
      },
    ],
  },
  {
    table: "ledger",
    what: "rollup",
    kept: "for good",
    changes: "sums are added as attributes; an absent one is 0, also `h`, the sum of the hashes",
    items: [
      {
        what: "rollup",
        keys: [
          rollup("2026-11-29T08"),
          rollup("2026-11-29T08", "<part>"),
          rollup("2026-11-29"),
          rollup("2026-11"),
        ],
        written: [["settle adds to it; the seal writes days and months", "none for an addition"]],
      },
    ],
  },
  {
    table: "ledger",
    what: "seal",
    kept: "for good",
    changes: 'an absent attribute is "not yet"; an absent `h` is 0',
    items: [
      {
        what: "seal",
        keys: [key(sealKey, "<org>", "<project>")],
        written: [
          [
            "the seal; a late event counts itself",
            "day, month and number of late events are as they were read",
          ],
          [
            "the sweep, `org shards`, calls in a rush, or who meets others on a rollup: the first hour that may be spread",
            "no such hour",
          ],
          [
            "a payment of a plan or a plan fee adds its hash to `h` of the organization's",
            "none; one transaction with the entry",
          ],
        ],
      },
    ],
  },
  {
    table: "ledger",
    what: "price",
    kept: "for good",
    version: "its key is a hash of the price",
    changes: "never changed once whole. An older release cannot charge by a new mode of pricing",
    items: [
      {
        what: "price",
        keys: [key(priceKey, "<version>", "<model>")],
        written: [
          [
            "whoever records an entry",
            "no such item, or only a part of the price; before the first entry at this price",
          ],
        ],
      },
    ],
  },
  {
    table: "tasks",
    what: "task",
    kept: "for good",
    changes: "+. A new `status` needs readers first: an older release takes it for an end",
    items: [
      {
        what: "task",
        keys: [key(taskKey, "<org>", "VTK-<task>")],
        written: [
          ["creation", "no such item"],
          ["every change of state", "status, submission, mark, and settled are as they were read"],
          ["its end", "the same; one transaction with hold, entry and rollups"],
        ],
      },
      {
        what: "barred task",
        keys: [key(taskKey, "<org>", "VTK-<task>")],
        written: [
          ["repair of a hold whose task was never kept", "no such item; one transaction with the hold"],
        ],
      },
    ],
  },
  {
    table: "tasks",
    what: "part of a task's request",
    kept: "3 days",
    changes: "bytes that only the provider reads",
    items: [
      {
        what: "part of a request",
        keys: [key(taskRequestKey, "<task>", 0)],
        written: [["creation", "none: only the creation writes it"]],
      },
    ],
  },
];
