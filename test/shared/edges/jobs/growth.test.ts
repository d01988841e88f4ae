/** Wallets that get more shards in a rush: at once, with points on each, and once however many processes ask. */
import { describe, expect, test } from "vitest";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { hourOf } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { growWallet, tendWallet } from "#shared/edges/jobs/shards.ts";
import { partsOfHours } from "#shared/edges/store/ledger/spread.ts";
import { settlement } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { after, call, expectConserved, newWallet, shardsOf, storesOn } from "#test/support/wallets.ts";

const point = parsePoints("1");
const { db } = useStores();

/** What a process asks for that knew so many shards. */
const grow = (aws: Aws, { id }: Organization, shards: number, throttled = false) =>
  growWallet(id, { shards, throttled }, storesOn(aws, db));

const hold = async (organization: Organization, count: number) => {
  const taken = Array.from({ length: count }, () => call(db.aws, db, organization, "0.001"));
  return (await Promise.all(taken)).map(({ hold: each }) => each);
};

/** The actions of a client that write the item of this key. */
function writing(aws: Aws, key: string): { aws: Aws; actions: string[] } {
  const actions: string[] = [];
  const watched: Aws = (service, action, input) => {
    if (action !== "GetItem" && JSON.stringify(input).includes(`"${key}"`)) actions.push(action);
    return aws(service, action, input);
  };
  return { aws: watched, actions };
}

const inUse = (items: { shardsAtRetirement: number | null }[]) =>
  items.filter(({ shardsAtRetirement }) => shardsAtRetirement === null).length;

describe("a wallet of one shard with many holds", () => {
  test("has as many shards as they need after one pass, with points on each, and two writes on the first", async () => {
    const organization = await newWallet(db, "1000");
    await hold(organization, 300);
    const { aws, actions } = writing(db.aws, `M#${organization.wallet?.meter}#0`);
    await grow(aws, organization, 1);
    expect(actions).toEqual(["TransactWriteItems", "TransactWriteItems"]);
    const items = await expectConserved(db, organization, 1000n * point);
    expect(inUse(items)).toBe(8);
    const free = 1000n * point - (300n * point) / 1000n;
    for (const { avail } of items) expect(avail).toBe(free / 8n);
  });

  test("has at most twice as many while its first shard keeps the calls of before", async () => {
    const organization = await newWallet(db, "1000");
    await hold(organization, 300);
    for (const shards of [1, 8, 16, 16]) await grow(db.aws, organization, shards);
    expect(await shardsOf(db, organization)).toHaveLength(16);
  });

  test("gets them once, whoever else asks at the same time", async () => {
    const organization = await newWallet(db, "1000");
    await hold(organization, 300);
    await Promise.all(Array.from({ length: 20 }, () => grow(db.aws, organization, 1)));
    const items = await expectConserved(db, organization, 1000n * point);
    expect([items.length, inUse(items)]).toEqual([8, 8]);
    for (const { avail } of items) expect(avail > 100n * point).toBe(true);
  });

  test("gets none from a process that knows another number", async () => {
    const organization = await newWallet(db, "1000", 2);
    await hold(organization, 300);
    for (const shards of [1, 4]) await grow(db.aws, organization, shards, true);
    expect(await shardsOf(db, organization)).toHaveLength(2);
  });
});

describe("a wallet of one shard with nine holds", () => {
  const spread = { meter: expect.any(String), shards: 1, opened: 1, spread: true };
  const walletOf = async ({ id }: Organization) =>
    (await storesOn(db.aws, db).accounts.organization(id))?.wallet;

  test.each([
    ["a rush", (organization: Organization) => grow(db.aws, organization, 1)],
    ["the sweep", ({ id }: Organization) => tendWallet(id, undefined, storesOn(db.aws, db))],
  ])("has its hours spread by %s, which readers know, and no more shards", async (_, tend) => {
    const organization = await newWallet(db, "1000");
    await hold(organization, 8);
    await tend(organization);
    expect(await walletOf(organization)).toEqual(organization.wallet);
    await hold(organization, 1);
    await tend(organization);
    expect(await walletOf(organization)).toEqual(spread);
    expect(await shardsOf(db, organization)).toHaveLength(1);
    const parts = await partsOfHours(db.aws, db.tables.ledger, organization.id);
    expect(parts(hourOf(Date.now()))).toHaveLength(33);
    const { aws, actions } = writing(db.aws, `O#${organization.id}`);
    await grow(aws, organization, 1);
    expect(actions).toEqual([]);
  });
});

test("a throttled wallet has 32 shards after five passes, and no more after others", async () => {
  const organization = await newWallet(db, "1000");
  for (const shards of [1, 2, 4, 8, 16, 32, 32]) await grow(db.aws, organization, shards, true);
  const items = await expectConserved(db, organization, 1000n * point);
  expect([items.length, inUse(items)]).toEqual([32, 32]);
  for (const { avail } of items) expect(avail).toBe((1000n * point) / 32n);
});

test("a wallet never shrinks in a rush, however little is on it", async () => {
  const organization = await newWallet(db, "1", 4);
  const taken = await Promise.all([1, 2, 3, 4].map(() => call(db.aws, db, organization, "0.2")));
  expect(taken.every(({ admission }) => admission.admitted)).toBe(true);
  await grow(db.aws, organization, 4, true);
  expect(inUse(await shardsOf(db, organization))).toBe(4);
});

test("a new shard takes no call before it has points, and what a growth left undone the next one does", async () => {
  const organization = await newWallet(db, "64");
  const crash = () => Promise.reject(new Error("crash"));
  const isUse = (action: string, input: object) =>
    action === "UpdateItem" && JSON.stringify(input).includes('"REMOVE #0"');
  await expect(grow(after(db.aws, isUse, crash), organization, 1, true)).rejects.toThrow("crash");
  const half = await shardsOf(db, organization);
  expect(half.map(({ avail, shardsAtRetirement }) => [avail, shardsAtRetirement])).toEqual([
    [32n * point, null],
    [32n * point, 1],
  ]);
  // The points of the shard that takes no calls are there for a call that needs them.
  const whole = await call(db.aws, db, organization, "60", { shards: 2 });
  expect(whole.admission.admitted).toBe(true);
  await storesOn(db.aws, db).meters.settle(ticketOf(whole.hold), settlement({ points: point }));
  await grow(db.aws, organization, 2);
  const items = await expectConserved(db, organization, 64n * point);
  expect(inUse(items)).toBe(2);
});

test("points that others are in the way of move with the next growth", async () => {
  const organization = await newWallet(db, "64");
  const reasons = [{ Code: "TransactionConflict" }, { Code: "None" }];
  let transactions = 0;
  const contended: Aws = async (service, action, input) => {
    // The first one changes the record.
    if (action === "TransactWriteItems" && ++transactions > 1)
      throw new AwsError("TransactionCanceledException", 400, { CancellationReasons: reasons });
    return await db.aws(service, action, input);
  };
  await grow(contended, organization, 1, true);
  expect((await shardsOf(db, organization)).map(({ avail }) => avail)).toEqual([64n * point, 0n]);
  await grow(db.aws, organization, 2);
  expect((await shardsOf(db, organization)).map(({ avail }) => avail)).toEqual([32n * point, 32n * point]);
});

test("a growth amid calls, a shrinking and other growths loses nothing", async () => {
  const organization = await newWallet(db, "100");
  const rounds = Array.from({ length: 6 }, async (_, at) => {
    for (let round = 0; round < 6; round++) {
      const { wallet } = (await storesOn(db.aws, db).accounts.organization(organization.id)) ?? {};
      const shards = wallet?.shards ?? 1;
      if (at === 0) await tendWallet(organization.id, 2, storesOn(db.aws, db));
      else if (at < 4) await grow(db.aws, organization, shards, true);
      const { hold: held, admission } = await call(db.aws, db, organization, "1.5", { shards });
      if (!admission.admitted) continue;
      await storesOn(db.aws, db).meters.settle(ticketOf(held), settlement({ points: point / 2n }));
    }
  });
  await Promise.all(rounds);
  const items = await expectConserved(db, organization, 100n * point);
  expect(items.reduce((sum, { holds }) => sum + holds.size, 0)).toBe(0);
  expect((await call(db.aws, db, organization, "82")).admission.admitted).toBe(true);
});
