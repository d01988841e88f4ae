/**
 * Two who change the shards of a wallet, or its money, at the same moment: the second step by step inside the first.
 */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { after, call, expectConserved, keyOf, newWallet, storesOn } from "#test/support/wallets.ts";

const point = parsePoints("1");
const isTransaction = (action: string) => action === "TransactWriteItems";
const { db } = useStores();

/** On how many of its four shards the wallet lets a call in. */
async function admittingShards({ id, wallet }: Organization, key?: string): Promise<number> {
  const { accounts, meters } = storesOn(db.aws, db);
  expect((await accounts.organization(id))?.wallet?.shards).toBe(4);
  const hold = () => walletHold(wallet?.meter ?? "", "0.1", noon, key);
  const admissions = [0, 1, 2, 3].map((shard) => meters.admit({ ...hold(), shard }));
  return (await Promise.all(admissions)).filter(({ admitted }) => admitted).length;
}

describe("while a wallet grows", () => {
  const growing = ({ id }: Organization) =>
    storesOn(
      after(db.aws, isTransaction, () => tendWallet(id, 4, storesOn(db.aws, db))),
      db,
    );

  test("a freeze reaches the shards that were not there when it began", async () => {
    const organization = await newWallet(db, "10");
    await growing(organization).accounts.setStatus(organization.id, "frozen");
    expect(await admittingShards(organization)).toBe(0);
  });

  test("and so does a revocation", async () => {
    const organization = await newWallet(db, "10");
    const key = keyOf(organization);
    await storesOn(db.aws, db).accounts.createKey(key);
    await growing(organization).accounts.revokeKey(organization.id, key.id, noon);
    expect([await admittingShards(organization, key.id), await admittingShards(organization)]).toEqual([
      0, 4,
    ]);
  });
});

test("a freeze reaches the shards that a crash left in use when the record had them no more", async () => {
  const organization = await newWallet(db, "8", 4);
  const crash = () => Promise.reject(new Error("crash"));
  const dying = after(db.aws, (action) => action === "UpdateItem", crash);
  await expect(tendWallet(organization.id, 1, storesOn(dying, db))).rejects.toThrow("crash");
  const { accounts, meters } = storesOn(db.aws, db);
  await accounts.setStatus(organization.id, "frozen");
  for (const shard of [0, 1, 2, 3]) {
    const hold = { ...walletHold(organization.wallet?.meter ?? "", "1"), shard };
    expect(await meters.admit(hold)).toMatchObject({ error: "account_frozen" });
  }
});

test("a revocation on very many shards that broke off is completed by the next", async () => {
  const organization = await newWallet(db, "8", 128);
  const { accounts, meters } = storesOn(db.aws, db);
  const key = keyOf(organization);
  await accounts.createKey(key);
  let transactions = 0;
  const second = (action: string) => isTransaction(action) && ++transactions === 2;
  const dying = storesOn(
    after(db.aws, second, () => Promise.reject(new Error("crash"))),
    db,
  );
  await expect(dying.accounts.revokeKey(organization.id, key.id, noon)).rejects.toThrow("crash");
  expect(await accounts.revokeKey(organization.id, key.id, noon)).toMatchObject({ status: "revoked" });
  for (const shard of [0, 97, 98, 127]) {
    const hold = { ...walletHold(organization.wallet?.meter ?? "", "0", noon, key.id), shard };
    expect(await meters.admit(hold), String(shard)).toMatchObject({ error: "invalid_key" });
  }
});

test("two who empty a shard move its money once", async () => {
  const organization = await newWallet(db, "8", 2);
  const shrink = (aws: Aws) => tendWallet(organization.id, 1, storesOn(aws, db));
  const { meters } = storesOn(db.aws, db);
  let transactions = 0;
  // The first transaction writes the record, the second moves the money.
  const second = (action: string) => isTransaction(action) && ++transactions === 2;
  const meter = organization.wallet?.meter ?? "";
  await shrink(after(db.aws, second, () => meters.emptyShard(meter, 1, 1)));
  const items = await expectConserved(db, organization, 8n * point);
  expect(items.map(({ avail }) => avail)).toEqual([8n * point, 0n]);
});

describe("money that moves while a wallet is read", () => {
  /** Moves the last shard's money to the first when that was read already and the last was not. */
  const moving = ({ wallet }: Organization) => {
    const meter = wallet?.meter ?? "";
    const isLast = (action: string, input: object) =>
      action === "GetItem" && JSON.stringify(input).includes(`M#${meter}#3`);
    const { meters } = storesOn(db.aws, db);
    return after(db.aws, isLast, () => meters.move(meter, [{ from: 3, to: 0, points: 2n * point }]));
  };

  test("is in the balance", async () => {
    const organization = await newWallet(db, "8", 4);
    const { meters } = storesOn(moving(organization), db);
    expect(await meters.balance(organization.wallet?.meter ?? "")).toBe(8n * point);
  });

  test("is there for a call that needs all of it", async () => {
    const organization = await newWallet(db, "8", 4);
    expect((await call(moving(organization), db, organization, "8")).admission.admitted).toBe(true);
  });
});
