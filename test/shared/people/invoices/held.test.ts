/** What of a balance was bought for which money: laws over random books, and cases by hand. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { creditEntry, creditedBy } from "#shared/books/ledger/credit.ts";
import type { CreditKind } from "#shared/books/ledger/ledger.ts";
import { heldBefore, worthOf } from "#shared/people/invoices/held.ts";
import { sumOf, type WalletBooks } from "#shared/people/invoices/statement.ts";

const [october, november] = [Date.parse("2026-10-05T00:00:00Z"), Date.parse("2026-11-05T00:00:00Z")];

function credit(at: number, kind: CreditKind, points: bigint, reference: string) {
  return creditEntry({ organization: "org_1", meter: "m", points, kind, reference, at });
}
function used(month: string, points: bigint): WalletBooks["uses"][number] {
  return { month, model: "m", calls: 1, points };
}
const left = (books: WalletBooks, month = "2026-12") => {
  const { lots, given } = heldBefore(month, books);
  return [...lots.map((lot) => `${lot.reference} ${lot.left}`), `given ${given}`];
};

describe("what is left", () => {
  const amount = fc.bigInt({ min: 1n, max: 1000n });
  const kinds = fc.constantFrom<CreditKind>("bought", "promotional", "adjustment", "refund");
  const books = fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(october, november), kinds, amount, fc.boolean()), { maxLength: 12 }),
      fc.array(fc.tuple(fc.constantFrom("2026-10", "2026-11"), amount), { maxLength: 6 }),
    )
    .map(
      ([credits, uses]): WalletBooks => ({
        credits: credits.map(([at, kind, points, isOut], n) =>
          credit(at, kind, kind === "refund" || (kind === "adjustment" && isOut) ? -points : points, `r${n}`),
        ),
        uses: uses.map(([month, points]) => used(month, points)),
      }),
    );

  test("is the balance, whatever was booked", () => {
    const law = fc.property(books, fc.constantFrom("2026-10", "2026-11", "2026-12"), (some, month) => {
      const { lots, given } = heldBefore(month, some);
      const before = some.credits.filter(({ at }) => new Date(at).toISOString().slice(0, 7) < month);
      const balance =
        before.reduce((sum, entry) => sum + creditedBy(entry), 0n) -
        sumOf(some.uses.filter((use) => use.month < month));
      expect(lots.reduce((sum, lot) => sum + lot.left, given)).toBe(balance);
      for (const lot of lots) expect(lot.left > 0n && lot.left <= lot.points).toBe(true);
    });
    fc.assert(law, { seed: 8, numRuns: 500 });
  });

  const two = [
    credit(october, "bought", 100n, "a"),
    credit(october + 1, "bought", 100n, "b"),
    credit(november, "promotional", 30n, "gift"),
  ];
  test.each([
    ["nothing used", [], ["a 100", "b 100", "given 30"]],
    ["before anything was given", [used("2026-10", 10n)], ["a 90", "b 100", "given 30"]],
    ["less than was given", [used("2026-11", 10n)], ["a 100", "b 100", "given 20"]],
    ["into the oldest", [used("2026-10", 10n), used("2026-11", 90n)], ["a 30", "b 100", "given 0"]],
    ["into the second", [used("2026-11", 150n)], ["b 80", "given 0"]],
    ["more than there was", [used("2026-11", 240n)], ["given -10"]],
  ] as [string, WalletBooks["uses"], string[]][])("%s", (_name, uses, expected) => {
    expect(left({ credits: two, uses })).toEqual(expected);
  });

  test("of a month is of what came before it", () => {
    const books = { credits: two, uses: [used("2026-10", 10n), used("2026-11", 20n)] };
    expect(left(books, "2026-11")).toEqual(["a 90", "b 100", "given 0"]);
    expect(left(books, "2026-10")).toEqual(["given 0"]);
  });

  test("after a refund lacks the points of its own order", () => {
    const refund = { ...credit(november, "refund", -40n, "refund.x"), of: "b" };
    expect(left({ credits: [...two, refund], uses: [used("2026-11", 30n)] })).toEqual([
      "a 100",
      "b 60",
      "given 0",
    ]);
  });
});

test("each purchase counts at its own rate, exactly; only the sum of a currency is cut off", () => {
  const lot = (reference: string, points: bigint, of: bigint) => ({ reference, points: of, left: points });
  const lots = [lot("a", 1n, 3n), lot("b", 1n, 3n), lot("c", 1n, 3n), lot("d", 5n, 10n), lot("e", 7n, 7n)];
  const paid = new Map([
    ...["a", "b", "c"].map((name) => [name, { amount: 100, currency: "CNY" }] as const),
    ["d", { amount: 33, currency: "USD" }],
  ]);
  expect(worthOf({ lots, given: 2n }, paid)).toEqual({
    bought: [
      { currency: "CNY", points: 3n, amount: 100 },
      { currency: "USD", points: 5n, amount: 16 },
    ],
    other: 9n,
  });
});
