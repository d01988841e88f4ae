/** Which admissions read the whole item of a meter, and what becomes of the names on it that nobody needs any more. */
import { beforeEach, describe, expect, test } from "vitest";
import { taskOf } from "#shared/base/platform/id.ts";
import type { Hold } from "#shared/books/meters/hold.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb, type MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { admit, looking, noon, planHold, planLimits, settlement, walletHold } from "#test/support/store.ts";

let db: MemoryDynamoDb;
let meters: Meters;
/** What each update asked to be told. */
let images: unknown[];

beforeEach(async () => {
  db = createMemoryDynamoDb();
  const aws = awsOverMemory(db, (act, action, input: { ReturnValues?: string }) => {
    if (action === "UpdateItem") images.push(input.ReturnValues);
    return act();
  });
  meters = createMeters(aws, db.tables);
  await meters.open("mtr_plan", 0, "subscription");
  await meters.open("mtr_1", 0, "payg");
  const credit = { organization: "org_1", meter: "mtr_1", reference: "opening", at: noon };
  await createLedger(aws, db.tables).credit({ ...credit, points: 10n ** 21n });
  images = [];
});

/** A hold whose id ends in this character. */
const ending = (hold: Hold, last: string): Hold => ({
  ...hold,
  request: `${hold.request.slice(0, -1)}${last}`,
});
const wallet = (at = noon) => ending(walletHold("mtr_1", "1", at), "1");
const daily = { budget_points: "1000", budget_period: "day" } as const;

describe("the whole item is read", () => {
  test.each<[string, Hold, boolean]>([
    ["for no call of a wallet", wallet(), false],
    ["for no call of a key with a budget", { ...wallet(), limits: daily }, false],
    ["for a call whose id says so", looking(wallet()), true],
    ["for a key's cap on calls in flight", { ...wallet(), limits: { max_concurrency: 2 } }, true],
    ["for the cap on open tasks", { ...wallet(), request: taskOf(wallet().request) }, true],
    ["for the limits of a plan", ending(planHold("mtr_plan", planLimits({ rpm: 5 })), "1"), true],
  ])("%s", async (_name, hold, whole) => {
    await admit(meters, hold);
    expect(images).toEqual([whole ? "ALL_NEW" : undefined]);
  });

  test("not for an extension", async () => {
    const ticket = await admit(meters, wallet());
    expect(await meters.extend(ticket, 2n * 10n ** 18n)).toMatchObject({ extended: true });
    expect(images).toEqual([undefined, undefined]);
  });
});

test("a wallet keeps marks that are over until a call looks, and no more than 32 calls leave", async () => {
  const characters = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
  const most: number[] = [];
  for (let day = 0; day < 6; day++) {
    for (const last of characters) {
      // Each call leaves a mark, and the counter of a budget that is over two days later.
      const key = `key_${String(day).padStart(12, "0")}${last.repeat(10)}`;
      const at = noon + (day * 32 + characters.indexOf(last)) * 2 * 3_600_000;
      const hold = { ...ending(walletHold("mtr_1", "1", at, key), last), limits: daily };
      const ticket = { ...(await admit(meters, hold)), outcomeUnknown: true };
      expect(await meters.settle(ticket, settlement({ points: 1n, at: at + 1 }))).toBe(true);
      const item = db.items("counters").find(({ pk }) => pk?.S === "M#mtr_1#0") ?? {};
      most.push(Object.keys(item).filter((name) => /^y|:b/.test(name)).length);
    }
  }
  // Two to three days of counters, a day of which has twelve calls, and what 32 calls leave.
  expect(Math.max(...most)).toBeLessThanOrEqual(36 + 64);
  expect(Math.max(...most)).toBeGreaterThan(64);
});
