/** Wallets of several shards, on the embedded DynamoDB. */
import { describe, expect, test } from "vitest";
import { type Aws, ThrottledError } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { noon, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { call, expectConserved, keyOf, newWallet, shardsOf, storesOn } from "#test/support/wallets.ts";

const point = parsePoints("1");

describe("a wallet of several shards", () => {
  const { db } = useStores();

  test("costs a wallet of one shard no call more: two when admitted, two when refused", async () => {
    const organization = await newWallet(db, "1");
    const actions: string[] = [];
    const watched: Aws = (service, action, input) => {
      actions.push(action);
      return db.aws(service, action, input);
    };
    expect((await call(watched, db, organization, "1")).admission.admitted).toBe(true);
    expect((await call(watched, db, organization, "1")).admission).toMatchObject({
      error: "insufficient_balance",
      retryAfterSeconds: 5,
    });
    expect(actions.sort()).toEqual(["PutItem", "PutItem", "UpdateItem", "UpdateItem"]);
  });

  test("shares its money out, and is one balance", async () => {
    const organization = await newWallet(db, "10", 4);
    const items = await expectConserved(db, organization, 10n * point);
    expect(items.map(({ avail }) => avail)).toEqual(Array(4).fill((10n * point) / 4n));
    const { meters, accounts } = storesOn(db.aws, db);
    expect(await meters.balance(organization.wallet?.meter ?? "")).toBe(10n * point);
    expect((await accounts.organization(organization.id))?.wallet).toMatchObject({ shards: 4, opened: 4 });
  });

  test("lets in a call that no shard has the money for, bringing it together", async () => {
    const organization = await newWallet(db, "10", 4);
    const { hold, admission } = await call(db.aws, db, organization, "9");
    expect(admission.admitted).toBe(true);
    const { meters } = storesOn(db.aws, db);
    expect((await meters.intent(hold.request))?.shard).toBe(hold.shard);
    expect((await call(db.aws, db, organization, "1.1")).admission).toMatchObject({
      error: "insufficient_balance",
      retryAfterSeconds: 5,
      lack: { free: point, posted: 10n * point },
    });
    expect(await meters.settle(ticketOf(hold), settlement({ points: 9n * point }))).toBe(true);
    const refused = (await call(db.aws, db, organization, "1.1")).admission;
    const lack = { free: point, posted: point };
    expect(refused).toEqual({ admitted: false, error: "insufficient_balance", lack, limitStatus: {} });
    await expectConserved(db, organization, 10n * point);
  });

  test("spends its last points exactly once: 50 calls at once on ten holds over four shards", async () => {
    const organization = await newWallet(db, "10", 4);
    const taken = await Promise.all(Array.from({ length: 50 }, () => call(db.aws, db, organization, "1")));
    const errors = taken.map(({ admission }) => (admission.admitted ? "" : admission.error));
    expect(errors.filter((error) => error === "")).toHaveLength(10);
    // A caller that others outran again and again is told to come back, not that there is no money.
    expect(errors.filter((error) => error === "global_rate_limited").length).toBeLessThan(10);
    const items = await expectConserved(db, organization, 10n * point);
    expect(items.reduce((sum, { avail }) => sum + avail, 0n)).toBe(0n);
  });

  test("never says that there is no money while there is, however the calls crowd", async () => {
    const organization = await newWallet(db, "40", 8);
    const { meters } = storesOn(db.aws, db);
    const errors: string[] = [];
    const run = async () => {
      for (let i = 0; i < 5; i++) {
        // At most 20 calls of 1.7 points are in flight: 34 of 40 points, in pieces of 5.
        const { hold, admission } = await call(db.aws, db, organization, "1.7");
        if (admission.admitted) await meters.settle(ticketOf(hold), settlement({ giveBack: true }));
        else errors.push(admission.error);
      }
    };
    await Promise.all(Array.from({ length: 20 }, run));
    expect(errors.filter((error) => error === "insufficient_balance")).toEqual([]);
    expect(errors.length).toBeLessThan(10);
    await expectConserved(db, organization, 40n * point);
  });

  test("counts a key with limits on one shard", async () => {
    const organization = await newWallet(db, "16", 8);
    const home = newId("key", noon);
    const shards = new Set<number>();
    for (let i = 0; i < 4; i++) {
      const { hold, admission } = await call(db.aws, db, organization, "1.5", { home });
      expect(admission.admitted).toBe(true);
      shards.add(hold.shard);
    }
    expect(shards.size).toBe(1);
  });

  test("admits nobody on any shard while it is frozen, nor a key that was revoked before they were opened", async () => {
    const organization = await newWallet(db, "10", 2);
    const { accounts, meters, ledger } = storesOn(db.aws, db);
    const key = keyOf(organization);
    await accounts.createKey(key);
    await accounts.revokeKey(organization.id, key.id, noon);
    const meter = organization.wallet?.meter ?? "";
    await tendWallet(organization.id, 4, { accounts, meters, ledger });
    const admitOn = (shard: number, id?: string) =>
      meters.admit({ ...walletHold(meter, "0.1", noon, id), shard });
    for (let shard = 0; shard < 4; shard++) {
      expect(await admitOn(shard, key.id)).toMatchObject({ error: "invalid_key" });
      expect(await admitOn(shard)).toMatchObject({ admitted: true });
    }
    await accounts.setStatus(organization.id, "frozen");
    await tendWallet(organization.id, 8, { accounts, meters, ledger });
    for (let shard = 0; shard < 8; shard++) expect(await admitOn(shard)).toMatchObject({ admitted: false });
    await accounts.setStatus(organization.id, "active");
    await tendWallet(organization.id, 8, { accounts, meters, ledger });
    for (let shard = 0; shard < 8; shard++) expect(await admitOn(shard)).toMatchObject({ admitted: true });
  });

  test("takes shards out of use while calls are on them, and empties them as those end", async () => {
    const organization = await newWallet(db, "16", 8);
    const { accounts, meters, ledger } = storesOn(db.aws, db);
    const taken = await Promise.all(Array.from({ length: 12 }, () => call(db.aws, db, organization, "1")));
    await tendWallet(organization.id, 1, { accounts, meters, ledger });
    const retired = (await expectConserved(db, organization, 16n * point)).slice(1);
    for (const item of retired) expect([item.shardsAtRetirement, item.avail]).toEqual([1, 0n]);
    // A gateway whose record is older still lets the call in, on the shard that is left.
    const late = await call(db.aws, db, organization, "1", { shards: 8 });
    expect([late.admission.admitted, late.hold.shard]).toEqual([true, 0]);
    for (const { hold } of [...taken, late])
      expect(await meters.settle(ticketOf(hold), settlement({ points: point / 2n }))).toBe(true);
    await sweep({}, storesOn(db.aws, db));
    const [first, ...others] = await expectConserved(db, organization, 16n * point);
    expect(others.map(({ avail, holds }) => [avail, holds.size])).toEqual(Array(7).fill([0n, 0]));
    expect(first?.avail).toBe(16n * point - (13n * point) / 2n);
    expect(await meters.balance(organization.wallet?.meter ?? "")).toBe(first?.avail);
  });

  test("gets more shards from the sweep when one carries too many holds", async () => {
    const organization = await newWallet(db, "10000");
    for (let i = 0; i < 65; i++) await call(db.aws, db, organization, "1");
    await sweep({ older_than_seconds: 1e6 }, storesOn(db.aws, db));
    const items = await expectConserved(db, organization, 10_000n * point);
    expect(items.map(({ shardsAtRetirement }) => shardsAtRetirement)).toEqual([null, null]);
    expect(items.every(({ avail }) => avail >= 4_900n * point)).toBe(true);
  });

  test("gets none for a key's calls that stay on one shard by its limits", async () => {
    const organization = await newWallet(db, "10000");
    const { meters } = storesOn(db.aws, db);
    const { meter = "" } = organization.wallet ?? {};
    const { id } = keyOf(organization);
    for (let i = 0; i < 65; i++) {
      await meters.admit({ ...walletHold(meter, "1", noon, id), limits: { max_concurrency: 100 } });
    }
    await tendWallet(organization.id, undefined, storesOn(db.aws, db));
    expect(await shardsOf(db, organization)).toHaveLength(1);
  });

  test("goes on on other shards when one is throttled, and admits nobody when all are", async () => {
    const organization = await newWallet(db, "100", 4);
    const meter = organization.wallet?.meter;
    const throttling =
      (shards: number[]): Aws =>
      async (service, action, input) => {
        const key = (input as { Key?: { pk: { S: string } } }).Key?.pk.S;
        const isHit = shards.some((shard) => key === `M#${meter}#${shard}`);
        if (isHit && action === "UpdateItem") throw new ThrottledError("ThrottlingException", 400, {});
        return await db.aws(service, action, input);
      };
    const calls = (aws: Aws) =>
      Promise.all(Array.from({ length: 20 }, () => call(aws, db, organization, "1")));
    const some = await calls(throttling([1, 2]));
    expect(some.every(({ hold, admission }) => admission.admitted && [0, 3].includes(hold.shard))).toBe(true);
    for (const { admission } of await calls(throttling([0, 1, 2, 3])))
      expect(admission).toMatchObject({ error: "global_rate_limited", retryAfterSeconds: 1 });
    const items = await shardsOf(db, organization);
    expect(items.reduce((sum, { holds }) => sum + holds.size, 0)).toBe(20);
  });
});
