/** Lines about thresholds of wallets over several shards, also while points and parts of budgets move between them. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Transfer } from "#shared/books/meters/shards.ts";
import { admit, noon, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { budgetedWallet, linesOf, lookAt, spend, toldTo } from "#test/support/thresholds.ts";
import { newWallet } from "#test/support/wallets.ts";

const { db, accounts, meters, ledger } = useStores();

const budgeted = async (shards: number) => await budgetedWallet(db, shards);

describe("a wallet of several shards", () => {
  test("is told of by the sum of what all have spent", async () => {
    const organization = await budgeted(4);
    for (const shard of [0, 1, 2, 3]) {
      const { meter = "" } = organization.wallet ?? {};
      const bounds = [
        {
          level: "organization" as const,
          account: "O",
          points: parsePoints("100"),
          period: "month" as const,
        },
      ];
      const hold = { ...walletHold(meter, "13", noon), bounds };
      const gathered = await meters.gather(hold, shard);
      if (!("shard" in gathered)) throw new Error("no part");
      await meters.settle(await admit(meters, { ...hold, shard }), settlement({ points: hold.points }));
      await lookAt(db, organization);
      expect(await toldTo(db, organization)).toEqual(shard < 3 ? [] : [50]);
    }
  });

  /** Something moves to and fro before each reading of the shards. */
  const moving = (organization: Organization, budget?: Transfer["budget"], times = 1): Aws => {
    const { meter = "" } = organization.wallet ?? {};
    let to = 0;
    return async (service, action, input) => {
      if (action === "GetItem" && JSON.stringify(input).includes(`M#${meter}#1`))
        for (let time = 0; time < times; time++) {
          to = 1 - to;
          const isMoved = await meters.move(meter, [
            { from: 1 - to, to, points: 1n, ...(budget && { budget }) },
          ]);
          expect(isMoved).toBe(true);
        }
      return await db.aws(service, action, input);
    };
  };
  const part = { counter: "O:bm202611", most: parsePoints("100") };

  test("is told of its budgets although points or parts move during each reading, once", async () => {
    for (const budget of [undefined, part]) {
      const organization = await budgeted(2);
      await spend(db, organization, "60");
      const aws = moving(organization, budget);
      for (let looks = 0; looks < 2; looks++) await lookAt(db, organization, { aws });
      expect(await toldTo(db, organization)).toEqual([50]);
      await spend(db, organization, "25");
      await lookAt(db, organization, { aws });
      expect(await toldTo(db, organization)).toEqual([50, 80]);
      await lookAt(db, organization);
      expect(await toldTo(db, organization)).toEqual([50, 80]);
    }
  });

  test("is not told of what parts may have moved twice for, and is by the next look", async () => {
    const organization = await budgeted(2);
    await lookAt(db, organization);
    await spend(db, organization, "60");
    await lookAt(db, organization, { aws: moving(organization, part, 2) });
    expect(await toldTo(db, organization)).toEqual([]);
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual([50]);
  });

  test("is told to be low although points move, by what a look before has seen of its credits", async () => {
    const organization = await newWallet(db, "1000", 2);
    const wallet_thresholds = [{ measure: "points", below: "900" }] as const;
    const change = { before: undefined, after: [...wallet_thresholds] };
    expect(await accounts.setRows(organization.id, "wallet_thresholds", change)).toBe(true);
    await lookAt(db, organization);
    await spend(db, organization, "150");
    const aws = moving(organization);
    for (let looks = 0; looks < 2; looks++) await lookAt(db, organization, { aws });
    const [line, ...others] = await linesOf(db, organization);
    expect([line?.kind, line?.after?.balance_points, others]).toEqual(["wallet_low", "850", []]);
    await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual(["wallet_low"]);
    // After a credit nobody knows their sum until points stand still for a moment.
    const { meter = "" } = organization.wallet ?? {};
    const credit = { organization: organization.id, meter, reference: "more", at: noon };
    await ledger.credit({ ...credit, points: parsePoints("10") });
    await lookAt(db, organization, { aws: moving(organization) });
    expect(await toldTo(db, organization)).toEqual(["wallet_low"]);
    for (let looks = 0; looks < 2; looks++) await lookAt(db, organization);
    expect(await toldTo(db, organization)).toEqual(["wallet_low", "wallet_low"]);
  });
});
