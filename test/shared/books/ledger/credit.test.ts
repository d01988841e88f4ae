/** Credits of every kind on the real stores: booked once, told apart, and never more taken than a wallet has free. */
import { describe, expect, test } from "vitest";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { creditedBy, creditKindOf } from "#shared/books/ledger/credit.ts";
import type { Credit, Entry } from "#shared/books/ledger/ledger.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { creditReceipt } from "#shared/books/reports/receipt.ts";
import { credit as book } from "#shared/edges/operator/organizations.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { eventOf, noon, repeating, settlement } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  after,
  call,
  expectCleanBooks,
  expectConserved,
  newWallet,
  shardsOf,
} from "#test/support/wallets.ts";

const { db, ledger, meters } = useStores();
const point = parsePoints("1");

type Wanted = Pick<Credit, "points" | "kind" | "reference">;

async function wallet(points: string, shards = 1) {
  const organization = await newWallet(db, points, shards);
  const place = { organization: organization.id, meter: organization.wallet?.meter ?? "", at: noon };
  return {
    organization,
    place,
    credit: (wanted: Wanted, on = ledger) => on.credit({ ...place, ...wanted }),
    balance: async () => formatPoints(await meters.balance(place.meter)),
    entries: async () =>
      (await ledger.creditsAndFees(organization.id)).filter(({ id }) => id !== "credit#opening"),
  };
}

describe("a credit", () => {
  test("of each kind is an entry of its own kind, between accounts of its own", async () => {
    const { credit, entries, balance, organization } = await wallet("10");
    await credit({ points: 5n * point, reference: "1" });
    await credit({ points: 4n * point, kind: "promotional", reference: "2" });
    await credit({ points: -3n * point, reference: "3" });
    await credit({ points: 2n * point, kind: "adjustment", reference: "4" });
    await credit({ points: -1n * point, kind: "adjustment", reference: "5" });
    const mine = `customer:${organization.id}`;
    expect((await entries()).map(({ kind, debit, credit, points }) => [kind, debit, credit, points])).toEqual(
      [
        ["bought", "cash:operator", mine, "5"],
        ["promotional", "promotion:operator", mine, "4"],
        ["refund", mine, "cash:operator", "3"],
        ["credit_adjustment", "adjustment:operator", mine, "2"],
        ["credit_adjustment", mine, "adjustment:operator", "1"],
      ],
    );
    expect((await entries()).map(creditReceipt)).toMatchObject([
      { reference: "1", kind: "bought", points: "5" },
      { reference: "2", kind: "promotional", points: "4" },
      { reference: "3", kind: "refund", points: "-3" },
      { reference: "4", kind: "adjustment", points: "2" },
      { reference: "5", kind: "adjustment", points: "-1" },
    ]);
    expect(await balance()).toBe("17");
    await expectConserved(db, organization, 17n * point);
    await expectCleanBooks(db);
  });

  test("of another amount, sign or kind than its reference has booked is refused, and books nothing", async () => {
    const { credit, balance, entries } = await wallet("10");
    const first = { points: 2n * point, kind: "promotional", reference: "r" } as const;
    expect(await credit(first)).toBe(true);
    expect(await credit(first)).toBe(false);
    const others: Wanted[] = [
      { ...first, points: 3n * point },
      { ...first, kind: "bought" },
      { ...first, kind: "adjustment" },
      { ...first, points: -2n * point, kind: "refund" },
      { ...first, points: -2n * point, kind: "adjustment" },
    ];
    for (const other of others) {
      await expect(credit(other)).rejects.toMatchObject({
        key: "invalid_request",
        message: "The reference r has booked 2 points (promotional) already.",
      });
    }
    expect([await balance(), (await entries()).length]).toEqual(["12", 1]);
  });

  test("from before there were kinds is points bought, and its reference is still booked", async () => {
    const old: Entry = {
      ...{ id: "credit#r", kind: "credit", organization: "org_1", debit: "cash:operator" },
      ...{ credit: "customer:org_1", points: "7", at: noon, event: null },
    };
    expect([creditKindOf(old), creditedBy(old)]).toEqual(["bought", 7n * point]);
  });

  test.each([
    ["0", undefined, "The amount must not be 0."],
    ["-1", "bought", "Points of the kind bought are positive."],
    ["-1", "promotional", "Points of the kind promotional are positive."],
    ["1", "refund", "Points of the kind refund are negative."],
    [`-1${"0".repeat(18)}.1`, "adjustment", /^The amount must be at most 1000000000000000000 points\.$/],
    ["1e3", "adjustment", "1e3 is no amount of points."],
  ] as const)("of %s points as %s is refused", async (points, kind, message) => {
    const { organization, entries } = await wallet("10");
    const wanted = { points, reference: "r", ...(kind && { kind }) };
    const refused = book(organization, wanted, { ledger, now: () => noon });
    await expect(refused).rejects.toMatchObject({
      key: "invalid_request",
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
    expect(await entries()).toEqual([]);
  });
});

describe("a refund", () => {
  test("takes what is free on all shards together, and nothing that calls hold", async () => {
    const { organization, credit, balance } = await wallet("8", 4);
    const { hold, admission } = await call(db.aws, db, organization, "1.5");
    expect(admission).toMatchObject({ admitted: true });
    await expect(credit({ points: -7n * point, reference: "r" })).rejects.toMatchObject({
      key: "insufficient_balance",
      message: expect.stringContaining("has 6.5 points free, and 7 are to be taken"),
    });
    expect(await balance()).toBe("8");
    expect(await credit({ points: -parsePoints("6.5"), reference: "r" })).toBe(true);
    const shards = await shardsOf(db, organization);
    expect(shards.map(({ avail }) => avail)).toEqual([0n, 0n, 0n, 0n]);
    await ledger.record([eventOf(hold, "1.5", { organization: organization.id })]);
    await meters.settle(ticketOf(hold), settlement({ points: parsePoints("1.5") }));
    await expectConserved(db, organization, parsePoints("1.5"));
    await expectCleanBooks(db);
  });

  test("that is repeated when nothing is left is known by its reference", async () => {
    const { credit, balance } = await wallet("3", 2);
    const all = { points: -3n * point, reference: "r" };
    expect([await credit(all), await credit(all), await balance()]).toEqual([true, false, "0"]);
    await expect(credit({ points: -point, reference: "s" })).rejects.toMatchObject({
      key: "insufficient_balance",
    });
    await expect(credit({ points: -2n * point, reference: "r" })).rejects.toMatchObject({
      key: "invalid_request",
    });
  });

  test("is booked once, whoever repeats it at the same time, and whatever answer is lost", async () => {
    const { credit, balance, entries, organization } = await wallet("5", 2);
    const wanted = { points: -2n * point, reference: "r" };
    const booked = await Promise.all(Array.from({ length: 6 }, () => credit(wanted)));
    expect(booked.filter(Boolean)).toHaveLength(1);
    const lossy = createLedger(repeating(db.aws), db.tables);
    expect(await credit({ points: -point, reference: "s" }, lossy)).toBe(true);
    expect([await balance(), (await entries()).length]).toEqual(["2", 2]);
    await expectConserved(db, organization, 2n * point);
  });

  test("never takes what a call was quicker to hold", async () => {
    const { organization, credit } = await wallet("5");
    const inBetween = after(
      db.aws,
      (action) => action === "TransactWriteItems",
      () => call(db.aws, db, organization, "3"),
    );
    const late = credit({ points: -4n * point, reference: "r" }, createLedger(inBetween, db.tables));
    await expect(late).rejects.toMatchObject({
      key: "insufficient_balance",
      message: expect.stringContaining("has 2 points free"),
    });
    const [item] = await expectConserved(db, organization, 5n * point);
    expect(item?.avail).toBe(2n * point);
  });

  test("is no more than the balance where one shard owes what another has", async () => {
    const { organization, credit, balance } = await wallet("8", 2);
    const { hold } = await call(db.aws, db, organization, "1");
    await ledger.record([eventOf(hold, "6", { organization: organization.id })]);
    await meters.settle(ticketOf(hold), settlement({ points: 6n * point }));
    expect(await balance()).toBe("2");
    await expect(credit({ points: -4n * point, reference: "r" })).rejects.toMatchObject({
      key: "insufficient_balance",
      message: expect.stringContaining("has 2 points free"),
    });
    expect(await credit({ points: -2n * point, reference: "r" })).toBe(true);
    expect(await balance()).toBe("0");
    await expectConserved(db, organization, 6n * point);
    await expectCleanBooks(db);
  });

  test("of an overdrawn wallet is refused, and an adjustment lowers what it owes", async () => {
    const { organization, credit, balance } = await wallet("1");
    const { hold } = await call(db.aws, db, organization, "1");
    await ledger.record([eventOf(hold, "3", { organization: organization.id })]);
    await meters.settle(ticketOf(hold), settlement({ points: 3n * point }));
    await expect(credit({ points: -point, kind: "adjustment", reference: "r" })).rejects.toMatchObject({
      message: expect.stringContaining("has 0 points free"),
    });
    expect(await credit({ points: point, kind: "adjustment", reference: "r" })).toBe(true);
    expect(await balance()).toBe("-1");
    await expectCleanBooks(db);
  });
});
