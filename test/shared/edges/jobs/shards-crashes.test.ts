/**
 * Wallets of several shards while everything happens at once, with crashes between any two calls to the store. No
 * step loses or makes money, and one sweep later the books are clean.
 */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { eventOf, intentOf, noon, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import {
  call,
  expectCleanBooks,
  expectConserved,
  newWallet,
  shardsOf,
  storesOn,
} from "#test/support/wallets.ts";

const point = parsePoints("1");
const { db } = useStores();

/** Numbers in [0, 1) from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Crash extends Error {}

/** A client that dies after so many calls: the last is made, and its answer never seen. */
function dyingAfter(aws: Aws, calls: number): Aws {
  let left = calls;
  return async (service, action, input) => {
    if (left <= 0) throw new Crash();
    left -= 1;
    const answer = await aws(service, action, input);
    if (left === 0) throw new Crash();
    return answer as never;
  };
}

interface World {
  organization: Organization;
  credited: bigint;
  frozen: boolean;
  running: Hold[];
  random: () => number;
}

/** One thing that happens to a wallet, over a client that may die on the way. */
type Happening = (world: World, aws: Aws) => Promise<void>;

const admit: Happening = async (world, aws) => {
  const { wallet } = (await storesOn(db.aws, db).accounts.organization(world.organization.id)) ?? {};
  // The gateway's record may be of any time before.
  const shards = Math.ceil(world.random() * (wallet?.opened ?? 1));
  const points = formatPoints(BigInt(Math.ceil(world.random() * 3000)) * (point / 1000n));
  const { hold, admission } = await call(aws, db, world.organization, points, { shards });
  if (!admission.admitted) return;
  expect(world.frozen).toBe(false);
  world.running.push(hold);
};

const end: Happening = async (world, aws) => {
  const hold = world.running.shift();
  if (!hold) return;
  const { ledger, meters } = storesOn(aws, db);
  // Sometimes dearer than it was held for.
  const cost = (hold.points * BigInt(Math.floor(world.random() * 120))) / 100n;
  await ledger.record([eventOf(hold, formatPoints(cost), { organization: world.organization.id })]);
  await meters.settle(ticketOf(hold), settlement({ points: cost }));
};

const credit: Happening = async (world, aws) => {
  const reference = `credit-${world.random()}`;
  const meter = world.organization.wallet?.meter ?? "";
  const wanted = { organization: world.organization.id, meter, reference, points: point, at: noon };
  world.credited += point;
  await storesOn(aws, db)
    .ledger.credit(wanted)
    .catch(async (error: unknown) => {
      // Whoever pays asks again.
      await storesOn(db.aws, db).ledger.credit(wanted);
      throw error;
    });
};

const resize: Happening = async ({ organization, random }, aws) => {
  await tendWallet(organization.id, 2 ** Math.floor(random() * 4), storesOn(aws, db));
};

const freeze: Happening = async (world, aws) => {
  const status = world.random() < 0.5 ? "frozen" : "active";
  const { accounts } = storesOn(aws, db);
  try {
    await accounts.setStatus(world.organization.id, status);
  } finally {
    const now = await storesOn(db.aws, db).accounts.organization(world.organization.id);
    world.frozen = now?.status === "frozen";
  }
};

const happenings = [admit, admit, admit, admit, end, end, end, credit, resize, resize, freeze];

describe("crashes", () => {
  test.each(Array.from({ length: 12 }, (_, seed) => seed))("of seed %i lose nothing", async (seed) => {
    const random = randomFrom(seed);
    const organization = await newWallet(db, "8");
    const world: World = { organization, credited: 8n * point, frozen: false, running: [], random };
    for (let step = 0; step < 40; step++) {
      const happening = happenings[Math.floor(random() * happenings.length)] ?? admit;
      const aws = random() < 0.4 ? dyingAfter(db.aws, Math.floor(random() * 12)) : db.aws;
      await happening(world, aws).catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
      await expectConserved(db, organization, world.credited);
      if (world.frozen) await expectFrozen(organization);
    }
    await expectCleanBooks(db);
    // The sweep that closed the last holds emptied the shards before; the next finds what came back.
    await sweep({}, storesOn(db.aws, db));
    const { wallet } = (await storesOn(db.aws, db).accounts.organization(organization.id)) ?? {};
    for (const { shard, shardsAtRetirement, avail } of await shardsOf(db, organization)) {
      if (shard >= (wallet?.shards ?? 0)) expect([shardsAtRetirement, avail]).toEqual([wallet?.shards, 0n]);
    }
  });

  test("money on its way between shards is on one of them, whenever its mover dies", async () => {
    for (let calls = 1; calls <= 12; calls++) {
      const organization = await newWallet(db, "8", 4);
      const { meters } = storesOn(dyingAfter(db.aws, calls), db);
      const gathered = meters.gather(walletHold(organization.wallet?.meter ?? "", "7"));
      await gathered.catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
      await expectConserved(db, organization, 8n * point);
    }
  });

  test("on several processes at once lose nothing either", async () => {
    const organization = await newWallet(db, "20");
    const worlds = Array.from({ length: 6 }, (_, seed): World => {
      return { organization, credited: 0n, frozen: false, running: [], random: randomFrom(100 + seed) };
    });
    const live = happenings.filter((happening) => happening !== freeze);
    await Promise.all(
      worlds.map(async (world) => {
        for (let step = 0; step < 25; step++) {
          const happening = live[Math.floor(world.random() * live.length)] ?? admit;
          const aws = world.random() < 0.3 ? dyingAfter(db.aws, Math.floor(world.random() * 12)) : db.aws;
          await happening(world, aws).catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error;
          });
        }
      }),
    );
    const credited = worlds.reduce((sum, world) => sum + world.credited, 20n * point);
    await expectConserved(db, organization, credited);
    await expectCleanBooks(db);
  });

  test("charges a call once that left a hold on a shard which seemed to refuse it", async () => {
    const organization = await newWallet(db, "10", 2);
    const { meters, ledger } = storesOn(db.aws, db);
    for (const ended of [true, false]) {
      const left = walletHold(organization.wallet?.meter ?? "", "1");
      const hold = { ...left, shard: 1 };
      for (const each of [left, hold]) {
        await meters.intend(intentOf(each, organization.id));
        await meters.admit(each);
      }
      if (!ended) continue;
      await ledger.record([eventOf(hold, "0.5", { organization: organization.id })]);
      await meters.settle(ticketOf(hold), settlement({ points: point / 2n }));
    }
    await expectCleanBooks(db);
    const [first, second] = await expectConserved(db, organization, 10n * point);
    expect([first?.used, (second?.used ?? 0n) > point / 2n]).toEqual([0n, true]);
  });
});

test("a hold that is swept before its own intent is there goes back, and its call never runs", async () => {
  const organization = await newWallet(db, "10", 2);
  const stores = storesOn(db.aws, db);
  const refused = walletHold(organization.wallet?.meter ?? "", "1");
  const held = { ...refused, shard: 1 };
  await stores.meters.intend(intentOf(refused, organization.id), 1);
  await stores.meters.admit(held);
  // A sweeper whose clock is far ahead comes between the hold and its intent.
  expect(await sweep({}, { ...stores, now: () => noon + 10_000_000 })).toMatchObject({ voided: 1 });
  await expect(stores.meters.intend(intentOf(held, organization.id), 2)).rejects.toMatchObject({
    key: "global_rate_limited",
  });
  await expectConserved(db, organization, 10n * point);
});

/** No shard of the wallet lets a call in. */
async function expectFrozen({ wallet }: Organization): Promise<void> {
  const { meters } = storesOn(db.aws, db);
  const meter = wallet?.meter ?? "";
  const items = await meters.shardsOf(meter);
  for (const { shard } of items) {
    const admission = await meters.admit({ ...walletHold(meter, "0"), shard });
    expect(admission.admitted).toBe(false);
  }
}
