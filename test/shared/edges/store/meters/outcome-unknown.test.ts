/**
 * Admissions whose answer is lost: whether they happened, never happened or happen later, nothing is held
 * or billed twice.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AwsError, ThrottledError } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import { type Ticket, ticketOf } from "#shared/books/meters/hold.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { admit, intentOf, noon, planHold, planLimits, settlement, walletHold } from "#test/support/store.ts";

/** What becomes of one attempt at a meter item; whatever is not said goes well. */
type Fate = "done, answer lost" | "arrives later" | "throttled" | "done" | "done, after what is late";

let db: MemoryDynamoDb;
let fates: Fate[];
let late: (() => void)[];
let meters: Meters;

beforeEach(async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  db = createMemoryDynamoDb();
  fates = [];
  late = [];
  const play = (act: () => object, action: string) => {
    const fate = action === "UpdateItem" || action === "PutItem" ? (fates.shift() ?? "done") : "done";
    if (fate === "throttled") throw new ThrottledError("ThrottlingException", 400, {});
    if (fate === "arrives later") late.push(act);
    if (fate === "done, answer lost") act();
    if (fate === "done, answer lost" || fate === "arrives later")
      throw new TransportError("sent", new Error("timeout"));
    if (fate === "done, after what is late") for (const each of late.splice(0)) each();
    return act();
  };
  const aws = awsOverMemory(db, play, 4);
  meters = createMeters(aws, db.tables);
  await meters.open("mtr_1", 0, "payg");
  const credit = {
    organization: "org_1",
    meter: "mtr_1",
    points: 10n ** 18n,
    reference: "opening",
    at: noon,
  };
  await createLedger(aws, db.tables).credit(credit);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const arrive = () => {
  for (const act of late) expect(act).toThrow(AwsError);
};
const meter = async () => {
  const item = await meters.readMeter("mtr_1", 0);
  return { used: item?.used, avail: item?.avail, holds: item?.holds.size };
};

test("a call whose admission is repeated is held and settled once, also when the first try arrives after its end", async () => {
  fates = ["arrives later"];
  const ticket = await admit(meters, walletHold("mtr_1", "0.5"));
  expect(ticket.outcomeUnknown).toBe(true);
  expect(await meters.settle(ticket, settlement({ points: 10n ** 17n }))).toBe(true);
  arrive();
  expect(await meter()).toEqual({ used: 10n ** 17n, avail: 9n * 10n ** 17n, holds: 0 });
});

describe("a copy of a ticket is worth as much as the ticket", () => {
  const copies: [name: string, copy: (ticket: Ticket) => Ticket][] = [
    ["the ticket itself", (ticket) => ticket],
    ["a copy of its members", (ticket) => ({ ...ticket })],
    ["a deep copy", (ticket) => structuredClone(ticket)],
  ];

  test.each(copies)("at a settlement: %s", async (_, copy) => {
    fates = ["arrives later"];
    const ticket = copy(await admit(meters, walletHold("mtr_1", "0.5")));
    expect(await meters.settle(ticket, settlement({ points: 10n ** 17n }))).toBe(true);
    arrive();
    expect(await meter()).toEqual({ used: 10n ** 17n, avail: 9n * 10n ** 17n, holds: 0 });
  });

  test.each(copies)("where a call is given up: %s", async (_, copy) => {
    fates = ["arrives later"];
    const ticket = copy(await admit(meters, walletHold("mtr_1", "0.5")));
    expect(await meters.abandon(ticket)).toBe(true);
    arrive();
    expect(await meter()).toEqual({ used: 0n, avail: 10n ** 18n, holds: 0 });
  });

  test.each(copies)("where its settlement removes what is over: %s", async (_, copy) => {
    await meters.open("mtr_2", 0, "subscription");
    const rate = planLimits({ rpm: 60 });
    for (const minutes of [0, 10]) {
      const at = noon + minutes * 60_000;
      const ticket = copy(await admit(meters, planHold("mtr_2", rate, 5, at)));
      expect(await meters.settle(ticket, settlement({ tokens: 5, at: at + 1000 }))).toBe(true);
    }
    const item = db.items("counters").find(({ pk }) => pk && "S" in pk && pk.S === "M#mtr_2#0") ?? {};
    expect(Object.keys(item).filter((name) => name.startsWith("s"))).toHaveLength(1);
  });
});

test("a call that was admitted whose outcome was unknown, and refused in the end, holds nothing", async () => {
  const hold = walletHold("mtr_1", "0.5");
  fates = ["done, answer lost", "throttled", "throttled", "throttled"];
  expect(await meters.admit(hold)).toMatchObject({ admitted: false, error: "global_rate_limited" });
  expect(await meter()).toEqual({ used: 0n, avail: 10n ** 18n, holds: 0 });
});

test("a call that is admitted while it is being given up holds nothing", async () => {
  const hold = walletHold("mtr_1", "0.5");
  fates = ["arrives later", "throttled", "throttled", "throttled", "done", "done, after what is late"];
  expect(await meters.admit(hold)).toMatchObject({ admitted: false, error: "global_rate_limited" });
  expect([late, await meter()]).toEqual([[], { used: 0n, avail: 10n ** 18n, holds: 0 }]);
});

test("where the meter does not answer either, the intent goes: a sweeper gives back and does not bill", async () => {
  const hold = walletHold("mtr_1", "0.5");
  await meters.intend(intentOf(hold));
  fates = ["done, answer lost", ...Array<Fate>(7).fill("throttled")];
  expect(await meters.admit(hold)).toMatchObject({ admitted: false, error: "global_rate_limited" });
  expect(await meter()).toMatchObject({ holds: 1 });
  expect(await meters.closeIntent(hold.request)).toBeUndefined();
});

test("while nothing can be written at all, a refusal waits until it can", async () => {
  const hold = walletHold("mtr_1", "0.5");
  await meters.intend(intentOf(hold));
  fates = ["done, answer lost", ...Array<Fate>(3 + 4 + 4).fill("throttled")];
  expect(await meters.admit(hold)).toMatchObject({ admitted: false, error: "global_rate_limited" });
  expect(await meter()).toEqual({ used: 0n, avail: 10n ** 18n, holds: 0 });
});

test("giving up an earlier attempt does not bar a later one's intent", async () => {
  const hold = walletHold("mtr_1", "0.5");
  await meters.intend(intentOf(hold), 2);
  fates = Array<Fate>(4).fill("throttled");
  await meters.abandon(ticketOf({ ...hold, attempt: 1 }));
  expect(await meters.intent(hold.request)).toEqual(intentOf(hold));
  fates = Array<Fate>(4).fill("throttled");
  await meters.abandon(ticketOf({ ...hold, attempt: 2 }));
  expect(await meters.intent(hold.request)).toBeUndefined();
});

test.each([true, false])(
  "the hold of a refused call that a sweep has, billed: %s, may stand only if it is",
  async (billed) => {
    const hold = walletHold("mtr_1", "0.5");
    const [ticket] = await Promise.all([admit(meters, hold), meters.intend(intentOf(hold))]);
    await meters.seize(hold.meter, 0, hold.request);
    if (billed) await meters.fixIntent(hold.request);
    expect(await meters.abandon(ticket)).toBe(!billed);
    expect(await meters.intent(hold.request)).toEqual(billed ? intentOf(hold) : undefined);
  },
);

test("a hold that was refused is not taken by a request that arrives later", async () => {
  const hold = walletHold("mtr_1", "0.7");
  const other = walletHold("mtr_1", "0.7");
  await meters.admit(other);
  fates = ["arrives later"];
  expect(await meters.admit(hold)).toMatchObject({ admitted: false, error: "insufficient_balance" });
  await meters.settle(ticketOf(other), settlement({ giveBack: true }));
  arrive();
  expect(await meter()).toMatchObject({ holds: 0 });
});

test("a call that was surely refused costs no further write", async () => {
  const hold = walletHold("mtr_1", "2");
  const before = db.items("counters").length;
  expect(await meters.admit(hold)).toMatchObject({ admitted: false, error: "insufficient_balance" });
  fates = ["throttled", "throttled", "throttled", "throttled"];
  expect(await meters.admit(hold)).toMatchObject({ admitted: false, error: "global_rate_limited" });
  expect(db.items("counters")).toHaveLength(before);
});
