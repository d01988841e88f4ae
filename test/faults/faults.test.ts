/**
 * Faults of billing.md §5 that no other suite has: a ledger under load, calls that die or are not read, the turn
 * of a month, ids.
 */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { ThrottledError } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { parseUsageEvent } from "#shared/books/ledger/usage-event.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { settleBatch } from "#shared/edges/jobs/settle.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { createCacheStatistics } from "#shared/edges/store/cache-statistics.ts";
import { readerOf } from "#test/support/body.ts";
import { open } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  done,
  sse,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";
import {
  eventOf,
  intentOf,
  noon,
  openPlan,
  openWallet,
  planHold,
  planLimits,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts, ledger, meters, replays } = useStores();

test("a ledger under load keeps its messages in the queue, and takes them when it can", async () => {
  const meter = await openWallet(db, "5");
  const events = Array.from({ length: 5 }, () => eventOf(walletHold(meter, "1"), "0.5"));
  const messages = events.map((event, index) => ({ id: String(index), body: JSON.stringify(event) }));
  let down = true;
  const flaky = {
    ...ledger,
    record: (each: typeof events) =>
      down ? Promise.reject(new ThrottledError("ThrottlingException", 400, {})) : ledger.record(each),
  };
  const ids = messages.map(({ id }) => id);
  const boards = createBoards(db.aws, db.tables);
  const statistics = createCacheStatistics(db.aws, db.tables);
  const deps = { ledger: flaky, boards, statistics, log: () => {}, now: () => noon };
  expect(await settleBatch(messages, deps)).toEqual(ids);
  down = false;
  expect(await settleBatch(messages, deps)).toEqual([]);
  for (const { id } of events) expect(await ledger.entry("org_1", id)).toMatchObject({ points: "0.5" });
});

test("a call that outlives its month counts in the month it began in, also when it is given back", async () => {
  const meter = await openPlan(db);
  const midnight = Date.parse("2026-12-01T00:00:00Z");
  const november = planLimits({ rpm: 60, period: { id: "20261101", ends_at: midnight } });
  const december = planLimits({ rpm: 60, period: { id: "20261201", ends_at: Date.parse("2027-01-01") } });
  const calls = [0, 1].map((back) => planHold(meter, november, 10, midnight - 1000 - back));
  for (const call of calls) await meters.admit(call);
  await meters.admit(planHold(meter, december, 10, midnight + 1));
  const [stays, fails] = calls;
  if (stays) await meters.settle(ticketOf(stays), settlement({ tokens: 10, at: midnight + 5000 }));
  if (fails) await meters.settle(ticketOf(fails), settlement({ giveBack: true, at: midnight + 5000 }));
  expect((await meters.readMeter(meter, 0))?.periods).toEqual(
    new Map([
      ["20261101", 1],
      ["20261201", 1],
    ]),
  );
});

test("what died is charged its input, and never more than was held", async () => {
  const meter = await openWallet(db, "5");
  // 1,000 tokens of input cost 0.0025 points, a million 2.5.
  const holds = [1_000, 1_000_000].map((input_tokens) => ({ input_tokens, hold: walletHold(meter, "1") }));
  for (const { hold, input_tokens } of holds) {
    await meters.admit(hold);
    await meters.intend({ ...intentOf(hold), input_tokens });
  }
  await sweep(
    { older_than_seconds: 0 },
    { accounts, meters, ledger, replays, log: () => {}, now: () => noon + 1000 },
  );
  for (const [at, points] of ["0.0025", "1"].entries())
    expect(await ledger.entry("org_1", holds[at]?.hold.request ?? "")).toMatchObject({ points });
  expect(await meters.readMeter(meter, 0)).toMatchObject({ used: parsePoints("1.0025"), holds: new Map() });
});

test("an intent outlives every sweep that may need it, by days", () => {
  const swept = limits.holdExpirySeconds + limits.sweepsGraceSeconds;
  expect(limits.intentLifetimeSeconds).toBeGreaterThan(100 * swept);
});

test("an event of a version that is not known, or with a count that is none, is poison; the one of today is read", () => {
  const event = eventOf(walletHold("mtr_1", "1"), "0.5");
  for (const version of [1, 2] as const)
    expect(parseUsageEvent(JSON.stringify({ ...event, version }))).toEqual({ ...event, version });
  // A field that a later version of the code adds does not keep an older one from settling.
  expect(parseUsageEvent(JSON.stringify({ ...event, later: 1 }))).toMatchObject(event);
  for (const change of [
    { version: 3 },
    { usage: { ...event.usage, output_tokens: -1 } },
    { cost_points: "-1" },
  ])
    expect(() => parseUsageEvent(JSON.stringify({ ...event, ...change }))).toThrow(TypeError);
});

test("a hundred thousand ids of one millisecond differ", () => {
  const ids = Array.from({ length: 100_000 }, () => newId("request", 1_795_000_000_000));
  expect(new Set(ids).size).toBe(ids.length);
});

const scenario = useScenario();

test("a price that changes while a call runs does not change what the call costs", async () => {
  const { catalog } = scenario.memory.deps;
  scenario.upstream.on((_, response) => {
    const dearer = {
      mode: "flat_tokens",
      input: "900",
      output: "900",
      cache_read: "0",
      cache_write: "0",
    } as const;
    catalog.price = () => pinPrice(dearer, "1");
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  await scenario.chat();
  expect(scenario.memory.events[0]).toMatchObject({
    cost_points: "0.000065",
    price: scenario.memory.intents[0]?.price,
  });
});

test("more cached tokens than there was input are no more than the input", async () => {
  const absurd = { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 400 } };
  scenario.upstream.json({ ...completion, usage: absurd });
  await scenario.chat();
  expect(scenario.memory.events[0]?.usage).toMatchObject({ input_tokens: 0, cache_read_tokens: 10 });
});

test("a client that does not read stops the provider, whatever there is to come", async () => {
  const piece = delta("x".repeat(64 * 1024));
  const pieces = 1_000;
  let sent = 0;
  scenario.upstream.on(async (_, response) => {
    response.writeHead(200, sse);
    for (; sent < pieces; sent++) if (!response.write(piece)) await once(response, "drain");
    response.end(usageFrame + done);
  });
  const { reply } = await open(scenario.serve, chatPath, {
    headers: scenario.bearer(),
    body: { ...chatBody, stream: true },
  });
  const body = readerOf(reply);
  for (let read = 0; read < 2; read++) await body.next();
  // On a busy machine nothing may come for a while, although nobody is stopped.
  for (let before = -1, quiet = 0; quiet < 4; await wait(100)) {
    quiet = sent > before ? 0 : quiet + 1;
    before = sent;
  }
  // What is on its way lies in the sockets' buffers.
  expect(sent).toBeLessThan(pieces / 2);
  while (await body.next());
  expect(sent).toBe(pieces);
  await reply.after?.();
  expect(scenario.memory.settled).toHaveLength(1);
});
