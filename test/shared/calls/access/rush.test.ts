/**
 * A rush at a wallet of one shard: how its processes ask for more shards and learn of them. A tick is a tenth of a second.
 * An item of the DynamoDB in memory takes in it what one of DynamoDB takes in that time.
 */
import { describe, expect, test } from "vitest";
import { ThrottledError } from "#shared/base/platform/aws.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { type RushDeps, Rushes } from "#shared/calls/access/rushes.ts";
import { growWallet } from "#shared/edges/jobs/shards.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { createMemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { noon, settlement } from "#test/support/store.ts";
import { call, expectConserved, newWallet, storesOn } from "#test/support/wallets.ts";

const tickMs = 100;
/** An item takes 250 calls a second. */
const callsOfItem = 25;
const callsOfTick = 150;
const point = parsePoints("1");

/** Processes that serve the calls of one wallet, each with what it knows of the wallet. */
async function startRush(processes: number) {
  const memory = createMemoryDynamoDb();
  const db = { aws: awsOverMemory(memory), tables: memory.tables };
  const organization = await newWallet(db, "1000000");
  const taken = new Map<string, number>();
  const admitting = awsOverMemory<{ Key?: { pk: { S: string } } }>(memory, (act, action, { Key }) => {
    const item = Key?.pk.S ?? "";
    if (action !== "UpdateItem" || !item.startsWith("M#")) return act();
    const calls = (taken.get(item) ?? 0) + 1;
    taken.set(item, calls);
    if (calls > callsOfItem) throw new ThrottledError("ThrottlingException", 400, {});
    return act();
  });
  const clock = { now: noon };
  const serving = Array.from({ length: processes }, () => serve(organization));

  function serve({ id }: Organization) {
    let known: number | undefined;
    const grow: RushDeps["grow"] = ({ organization: owner, shards }, throttled) =>
      growWallet(owner, { shards, throttled }, storesOn(db.aws, db));
    const keys = {
      forget() {
        known = undefined;
      },
    };
    const rushes = new Rushes({ keys, grow, log: () => {}, now: () => clock.now });
    return {
      async call() {
        known ??= (await storesOn(db.aws, db).accounts.organization(id))?.wallet?.shards;
        const place = { shards: known ?? 1, note: rushes.note.bind(rushes) };
        return await call(admitting, db, organization, "1", place);
      },
      rest: () => rushes.endAfter({ status: 200, headers: {}, body: "" }).after?.(),
    };
  }

  /** So many calls of one tick, which end with it. Gives how many were refused. */
  const tick = async (calls: number): Promise<number> => {
    taken.clear();
    clock.now += tickMs;
    const made = await Promise.all(Array.from({ length: calls }, (_, at) => serving[at % processes]?.call()));
    const holds = made.flatMap((each) => (each?.admission.admitted ? [each.hold] : []));
    await Promise.all(serving.map(({ rest }) => rest()));
    const { meters } = storesOn(db.aws, db);
    for (const hold of holds) await meters.settle(ticketOf(hold), settlement({ points: point / 1000n }));
    return calls - holds.length;
  };
  return { db, organization, tick };
}

describe("a rush", () => {
  test.each([1, 20])(
    "of 1,500 calls a second on %i processes is served within seconds",
    async (processes) => {
      const { db, organization, tick } = await startRush(processes);
      const refused: number[] = [];
      while (refused.length < 60 && !isServed(refused)) refused.push(await tick(callsOfTick));
      // The first calls are more than one item takes. Three doublings take two seconds, and some processes learn later.
      expect(refused[0]).toBe(callsOfTick - callsOfItem);
      expect(isServed(refused)).toBe(true);
      const items = await expectConserved(db, organization, 1_000_000n * point);
      expect(items.length).toBeGreaterThanOrEqual(8);
      expect(items.length).toBeLessThanOrEqual(16);
      for (const { avail } of items) expect(avail * BigInt(items.length)).toBeGreaterThan(900_000n * point);
    },
  );
});

/** Whether less than one call in a hundred was refused in the last half of a second. Calls take shards by chance. */
function isServed(refused: number[]): boolean {
  const last = refused.slice(-5).reduce((sum, count) => sum + count, 0);
  return refused.length > 5 && last < (5 * callsOfTick) / 100;
}
