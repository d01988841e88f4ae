/** Calls that do not run because the meter gave no answer: it may have taken their hold all the same. */
import { describe, expect, test } from "vitest";
import { type Aws, ThrottledError } from "#shared/base/platform/aws.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Admission } from "#shared/books/meters/admission.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { take } from "#shared/calls/access/take.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { useScenario } from "#test/support/scenario.ts";
import { intentOf, noon, openPlan, planHold, planLimits, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { call, expectConserved, newWallet, storesOn } from "#test/support/wallets.ts";

const { db, meters } = useStores();

const throttled = new ThrottledError("ThrottlingException", 400, {});
const lost = new Error("connection reset");

/** A client whose updates, or all writes, happen, and whose answer is an error. */
function answering(
  error: Error,
  isIt: (action: string) => boolean = (action) => action === "UpdateItem",
): Aws {
  return async (service, action, input, delivery) => {
    const answer = await db.aws(service, action, input);
    if (!isIt(action)) return answer as never;
    // As the client does when an answer is lost, whatever its last attempt came to.
    if (delivery) delivery.outcomeUnknown = true;
    throw error;
  };
}

const refused: Admission = expect.objectContaining({ admitted: false, error: "global_rate_limited" });

test.each([1, 4])("a refusal for load costs nothing, on %i shards", async (shards) => {
  const organization = await newWallet(db, "8", shards);
  const { admission } = await call(answering(throttled), db, organization, "1");
  expect(admission).toEqual(refused);
  await expectFree(organization);
});

test("a call that the books know as never sent does not begin anew by another record of its key", async () => {
  const hold = walletHold("mtr_01ARZ3NDEKTSV4RRFFQ69G5FAV", "1");
  const no = { admitted: false, limitStatus: {} } as const;
  const answers: Admission[] = [
    { ...no, error: "global_rate_limited", tryOtherShard: true, holdMayStand: true },
    { ...no, error: "invalid_key" },
  ];
  const unsent: unknown[] = [];
  const meters = {
    admit: async () => answers.shift() ?? { ...no, error: "invalid_key" as const },
    intend: async () => {},
    gather: () => Promise.reject(lost),
    abandon: async () => true,
  };
  const choice = { shards: 2, home: null };
  const publishUnsent = async (error: unknown) => void unsent.push(error);
  const rushes = { note() {} };
  const { admission } = await take(hold, intentOf(hold), { choice, publishUnsent }, { meters, rushes });
  expect([admission, answers]).toEqual([refused, []]);
  expect(unsent).toEqual([expect.objectContaining({ key: "global_rate_limited" })]);
});

test("an intent of an earlier beginning that arrives late replaces none of the one that was sent", async () => {
  const { wallet } = await newWallet(db, "8");
  const hold = walletHold(wallet?.meter ?? "", "1");
  const intent = intentOf(hold);
  const early = () => meters.intend({ ...intent, shard: 1 }, 2);
  await early();
  const options = { choice: { shards: 1, home: null }, reading: 2 };
  const { admission } = await take(hold, intent, options, { meters, rushes: { note() {} } });
  if (!admission.admitted) throw new Error(admission.error);
  await early().catch(() => {});
  expect((await meters.intent(hold.request))?.shard).toBe(0);
  await meters.abandon(admission.ticket);
});

test("a call that failed because no answer came costs nothing", async () => {
  const organization = await newWallet(db, "8");
  await expect(call(answering(lost), db, organization, "1")).rejects.toBe(lost);
  await expectFree(organization);
});

test("a call whose intent was written, and neither that nor the end of its hold was answered, costs nothing", async () => {
  const organization = await newWallet(db, "8");
  let writes = 0;
  const aws = answering(lost, (action) => action === "PutItem" && ++writes === 1);
  const silent: Aws = (service, action, input, delivery) => {
    // The hold cannot be given back at once either.
    if (writes > 0 && action === "UpdateItem") throw throttled;
    return aws(service, action, input, delivery);
  };
  await expect(call(silent, db, organization, "1")).rejects.toBe(lost);
  await expectFree(organization);
});

test("a call that a sweep has billed and not settled keeps what it was billed by, though it is refused", async () => {
  const organization = await newWallet(db, "8");
  const stores = { ...storesOn(db.aws, db), now: () => noon + 2_000_000 };
  const { hold } = await call(db.aws, db, organization, "1");
  const dying = { ...stores.meters, settleSeized: () => Promise.reject(lost) };
  expect(await sweep({}, { ...stores, meters: dying })).toMatchObject({ failed: 1 });
  const silent: Aws = async (service, action, input) => {
    if (action === "UpdateItem") throw throttled;
    return await db.aws(service, action, input);
  };
  await createMeters(silent, db.tables).abandon(ticketOf(hold));
  expect(await sweep({}, stores)).toMatchObject({ from_entry: 1, voided: 0 });
  const [meter] = await expectConserved(db, organization, parsePoints("8"));
  const entry = await stores.ledger.entry(organization.id, hold.request);
  expect(meter?.used).toBe(parsePoints(entry?.points ?? "0"));
  expect(meter?.used).toBeGreaterThan(0n);
});

describe("a refused call whose hold and intent are there, and no write takes them back", () => {
  const scenario = useScenario();

  /** A wallet whose meter and intents take one write each; the answer to the first is lost. */
  async function refuse() {
    const organization = await newWallet(db, "8");
    const { id, wallet } = organization;
    let [held, intended] = [false, false];
    const aws: Aws = async (service, action, input, delivery) => {
      if ((action === "UpdateItem" && held) || (action === "PutItem" && intended)) throw lost;
      if (action === "PutItem") intended = true;
      else held = action === "UpdateItem";
      const answer = await db.aws(service, action, input);
      if (action !== "UpdateItem") return answer as never;
      if (delivery) delivery.outcomeUnknown = true;
      throw lost;
    };
    const { memory } = scenario;
    memory.deps.meters = createMeters(aws, db.tables);
    scenario.key = memory.addKey({ organization: id, mode: "payg" }, { id, wallet });
    const reply = await scenario.chat();
    expect([reply.status, scenario.upstream.requests.length]).toEqual([500, 0]);
    const [meter] = (await storesOn(db.aws, db).meters.shardsOf(wallet?.meter ?? "")) ?? [];
    expect(meter?.holds.size).toBe(1);
    return organization;
  }

  test("is written down as never sent, and given back by the sweep", async () => {
    const organization = await refuse();
    const [event] = scenario.memory.events;
    expect(event).toMatchObject({
      organization: organization.id,
      outcome: "failed",
      calls: 0,
      cost_points: "0",
    });
    await storesOn(db.aws, db).ledger.record(event ? [event] : []);
    const now = () => Date.now() + 2_000_000;
    expect(await sweep({}, { ...storesOn(db.aws, db), now })).toMatchObject({ from_entry: 1, estimated: 0 });
    for (const { used } of await expectConserved(db, organization, parsePoints("8"))) expect(used).toBe(0n);
  });

  test("is told to an operator where that is taken nowhere either", async () => {
    scenario.memory.queueFails = scenario.memory.ledgerFails = true;
    await refuse();
    expect(scenario.memory.logs.map(({ event }) => event)).toContain("settle_gap");
  });
});

/** One sweep after its time the call has left nothing: no hold, no entry, no point spent. */
async function expectFree(organization: Awaited<ReturnType<typeof newWallet>>): Promise<void> {
  const { estimated } = await sweep({}, { ...storesOn(db.aws, db), now: () => noon + 2_000_000 });
  expect(estimated).toBe(0);
  for (const { used, holds, seized } of await expectConserved(db, organization, parsePoints("8"))) {
    expect([used, holds.size, seized.size]).toEqual([0n, 0, 0]);
  }
}

test("a call over a limit whose hold a sweep has billed before it was taken back may be held", async () => {
  const meter = await openPlan(db);
  const limits = planLimits({ rpm: 1 });
  await meters.admit(planHold(meter, limits));
  const hold = planHold(meter, limits);
  await meters.intend(intentOf(hold));
  let swept = false;
  const raced: Aws = async (service, action, input, delivery) => {
    const answer = await db.aws(service, action, input, delivery);
    if (action !== "UpdateItem" || swept) return answer as never;
    swept = true;
    await meters.seize(meter, 0, hold.request);
    await meters.fixIntent(hold.request);
    return answer as never;
  };
  const racing = createMeters(raced, db.tables);
  expect(await racing.admit(hold)).toMatchObject({
    admitted: false,
    error: "rate_limited",
    holdMayStand: true,
  });
});
