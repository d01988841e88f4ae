/** Calls with an organization's own key at a provider: whose key is sent, who pays what, and what nobody learns. */
import { describe, expect, test } from "vitest";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { settlementOfEvent } from "#shared/books/ledger/usage-event.ts";
import { answersOf } from "#shared/calls/routing/answers.ts";
import { useOwnKeys } from "#test/support/own-key-calls.ts";
import { ownKeyAt } from "#test/support/own-keys.ts";
import { chatBody, completion, delta, done, streamOf, usageFrame } from "#test/support/scenario.ts";

const world = useOwnKeys();
const own = ownKeyAt("test");
const used = { ...noUsage, input_tokens: 10, output_tokens: 4 };

/** The value of the call at list price, 10⁻¹⁸ points. */
function listPoints(): bigint {
  const model = world.memory.deps.catalog.find("test/model-1");
  if (!model) throw new Error("no model");
  return charge(used, world.memory.deps.catalog.price(model, 0)).points;
}

const refuses = (status: number, error: object) =>
  world.test.on((_, response) => response.writeHead(status).end(JSON.stringify({ error })));

describe("a key that serves alone", () => {
  test("is sent in the place of ours, once, whichever of our keys would have been", async () => {
    const reply = await world.chat({ provider_keys: [own] });
    expect([reply.status, world.keysAt("test"), world.keysAt("other")]).toEqual([200, [own.sealed], []]);
    expect(reply.headers["x-gateway-route"]).toBe("basic; via=test; why=only; of=1; key=own");
    expect(world.test.requests[0]?.path).toBe("/v1/chat/completions");
  });

  test("costs our fee, which is held, charged, kept and settled", async () => {
    await world.chat({ provider_keys: [own] });
    const [event] = world.memory.events;
    const fee = listPoints() / 20n;
    expect(event).toMatchObject({ own_fee: { share: "0.05" }, cost_points: formatPoints(fee), calls: 1 });
    expect(event?.list_points).toBe(event?.cost_points);
    expect(event?.route?.attempts).toMatchObject([{ provider: "test", own_key: true, outcome: "answered" }]);
    expect(world.memory.settled[0]?.settlement).toMatchObject({ points: fee, listPoints: fee });
    const [held] = world.memory.holds;
    await world.chat({});
    expect((held?.points ?? 0n) * 20n).toBe(world.memory.holds[1]?.points);
    expect(world.memory.intents[0]?.own_fee).toEqual({ share: "0.05" });
    expect(world.memory.intents[1]).not.toHaveProperty("own_fee");
    expect(world.memory.events[1]).not.toHaveProperty("own_fee");
  });

  test.each([
    [{ call: "0.002" }, "0.002"],
    [{ share: "0" }, "0"],
    [undefined, "0"],
  ])("with the fee %j costs %s points", async (fee, points) => {
    world.sell(fee);
    await world.chat({ provider_keys: [own] });
    expect(world.memory.events[0]?.cost_points).toBe(points);
    expect(world.memory.holds[0]?.points).toBe(parsePoints(points));
  });

  test("is never replaced by ours: neither at its provider, nor at another one of the model", async () => {
    refuses(500, { message: "down" });
    const reply = await world.chat({ provider_keys: [own] });
    expect(reply.status).toBe(500);
    expect([new Set(world.keysAt("test")), world.keysAt("other")]).toEqual([new Set([own.sealed]), []]);
    expect(world.memory.events[0]).toMatchObject({ outcome: "failed", cost_points: "0", calls: 0 });
  });

  test("is not replaced by ours where a policy leaves out the provider of that key", async () => {
    const policies = [{ level: "organization" as const, id: "", policy: { providers: ["other"] } }];
    const reply = await world.chat({ provider_keys: [own], policies });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect([world.keysAt("test"), world.keysAt("other")]).toEqual([[], []]);
    expect(world.memory.settled.map(({ settlement }) => settlement.points)).toEqual([0n]);
    expect((await world.chat({ policies })).status).toBe(200);
  });

  test("pays for vectors and pictures too", async () => {
    world.test.json({ data: [{ embedding: [1], index: 0 }], usage: { prompt_tokens: 3, total_tokens: 3 } });
    const bearer = world.bearer({ provider_keys: [own] });
    const body = { model: "test/embedding-1", input: "Hi" };
    expect((await world.send("/v1/embeddings", { headers: bearer, body })).status).toBe(200);
    world.test.json({ data: [{ url: "https://pictures.example/1" }] });
    const image = { model: "test/image-1", prompt: "A cat", n: 1 };
    expect((await world.send("/v1/images/generations", { headers: bearer, body: image })).status).toBe(200);
    expect(world.keysAt("test")).toEqual([own.sealed, own.sealed]);
    expect(world.memory.events.map(({ cost_points }) => cost_points)).toEqual(["0.000000015", "0.0095"]);
  });

  test("is told in a stream, and a stream of it is not noted for others", async () => {
    world.test.on(streamOf(delta("Hi"), usageFrame + done));
    await world.chat({ provider_keys: [own] }, { body: { ...chatBody, stream: true } });
    const [event] = world.memory.events;
    expect(event).toMatchObject({ own_fee: { share: "0.05" }, outcome: "completed" });
    expect(
      answersOf(event ? [{ ...event, route: { ...event.route, of: 2 } as never }] : [], Date.now()),
    ).toEqual([]);
  });
});

describe("a key that its provider refuses", () => {
  test.each([
    [401, { code: "invalid_api_key", message: "bad" }, "it is not valid"],
    [402, { code: "insufficient_quota", message: "empty" }, "no money"],
  ])("with %j is told with what to do, and rings nobody's alarm", async (status, error, why) => {
    refuses(status, error);
    const reply = await world.chat({ provider_keys: [own] });
    const { error: told } = JSON.parse(reply.text) as { error: { message: string; code: unknown } };
    expect([reply.status, String(told.code)]).toEqual([403, "40310"]);
    expect(told.message).toContain(
      `test refuses your organization's own key, which ends in ${own.last_four}`,
    );
    expect(told.message).toContain(why);
    const lines = world.memory.logs.map(({ event }) => event);
    expect(lines).toContain("own_key_failed");
    expect(lines).not.toContain("provider_account_refused");
    expect(lines).not.toContain("upstream_failed");
    expect(lines).not.toContain("call_failed");
    expect(world.memory.events[0]).toMatchObject({ error: "own_key_refused", cost_points: "0" });
  });

  test("closes no channel of ours, however often, and another organization's calls go on", async () => {
    refuses(401, { code: "invalid_api_key", message: "bad" });
    for (let at = 0; at < 5; at++) await world.chat({ provider_keys: [own] });
    const { states, windows } = await world.memory.boards.read("test/model-1", Date.now());
    expect([states, windows]).toEqual([{}, []]);
    world.test.json(completion);
    const reply = await world.chat({});
    expect(reply.headers["x-gateway-route"]).toMatch(/^basic; via=test; .*of=3$/);
  });

  test("that is limited says whose limit it is", async () => {
    world.test.on((_, response) => response.writeHead(429, { "retry-after": "7" }).end("{}"));
    const reply = await world.chat({ provider_keys: [own] });
    expect([reply.status, reply.headers["retry-after"]]).toEqual([429, "7"]);
    expect(reply.text).toContain("your organization's own key");
    expect((await world.memory.boards.read("test/model-1", Date.now())).states).toEqual({});
  });

  test("that cannot be opened is a failed call, without ours", async () => {
    const { createOwnKeys } = await import("#shared/calls/upstreams/opened-keys.ts");
    world.memory.deps.ownKeys = createOwnKeys(async () => Promise.reject(new Error("KMS is down")), Date.now);
    const reply = await world.chat({ provider_keys: [own] });
    expect([reply.status, world.test.requests, world.other.requests]).toEqual([500, [], []]);
    expect(reply.text).not.toContain("KMS");
  });
});

describe("a key beside ours", () => {
  test("that serves first is asked before all of ours, and ours answer where it fails, which is told", async () => {
    const first = ownKeyAt("other", { use: "first" });
    const reply = await world.chat({ provider_keys: [first] });
    expect(world.keysAt("other")).toEqual([first.sealed]);
    expect(reply.headers["x-gateway-route"]).toMatch(/via=other; why=priority; of=4; key=own$/);
    world.other.on((_, response) => response.writeHead(401).end("{}"));
    const next = await world.chat({ provider_keys: [first] });
    expect(next.headers["x-gateway-route"]).toMatch(/via=test; why=failover; of=4; key=house$/);
    const [paid, ours] = world.memory.events;
    expect([paid?.own_fee, ours?.own_fee]).toEqual([{ share: "0.05" }, undefined]);
    expect(ours?.cost_points).toBe(formatPoints(listPoints()));
    expect(ours?.route?.attempts).toMatchObject([
      { own_key: true, outcome: "refused" },
      { provider: "test" },
    ]);
    // Either may have to be paid, so the dearer is held.
    expect(world.memory.holds[1]?.points).toBeGreaterThan(listPoints());
  });

  test("that serves after ours is asked where ours have failed", async () => {
    const after = ownKeyAt("test", { use: "after" });
    await world.chat({ provider_keys: [after] });
    expect(world.keysAt("test")).not.toContain(after.sealed);
    refuses(500, {});
    world.other.on((_, response) => response.writeHead(500).end("{}"));
    await world.chat({ provider_keys: [after] });
    expect(world.keysAt("test").at(-1)).toBe(after.sealed);
    expect(world.memory.intents[0]).not.toHaveProperty("own_fee");
  });

  test("holds the fee where a call may cost more with it than at list price", async () => {
    world.sell({ call: "100" });
    await world.chat({ provider_keys: [ownKeyAt("test", { use: "after" })] });
    expect(world.memory.holds[0]?.points).toBe(parsePoints("100"));
  });
});

describe("nobody learns a key", () => {
  test("by what its provider says: it is taken out of errors and of log lines, in any form", async () => {
    const { sealed } = own;
    const base64 = Buffer.from(sealed).toString("base64");
    refuses(400, {
      message: `no: ${sealed} ${base64} ${encodeURIComponent(sealed)}`,
      param: sealed,
      code: sealed,
    });
    const reply = await world.chat({ provider_keys: [own] });
    expect(reply.status).toBe(400);
    const told = reply.text + JSON.stringify(reply.headers) + JSON.stringify(world.memory.logs);
    for (const part of [sealed, sealed.slice(4, 16), base64.slice(0, 12)]) expect(told).not.toContain(part);
    refuses(401, { message: `Incorrect API key provided: ${sealed}` });
    await world.chat({ provider_keys: [own] });
    expect(JSON.stringify([world.memory.logs, world.memory.events])).not.toContain(sealed.slice(4, 16));
  });

  test("by an error inside of a stream", async () => {
    world.test.on(streamOf(delta("Hi"), `data: {"error":{"message":"key ${own.sealed} is bad"}}\n\n`));
    const reply = await world.chat({ provider_keys: [own] }, { body: { ...chatBody, stream: true } });
    expect(reply.text).not.toContain(own.sealed.slice(4, 16));
  });

  test("by asking for an answer of another organization again", async () => {
    const headers = { "idempotency-key": "the-same" };
    await world.chat({ provider_keys: [own] }, { headers });
    await world.chat({}, { headers });
    const [mine, theirs] = world.keysAt("test");
    expect([mine, theirs === mine]).toEqual([own.sealed, false]);
  });

  test("by a conversation that another organization leads too", async () => {
    const headers = { "x-session-id": "shared" };
    for (const provider_keys of [[own], undefined, [own], undefined])
      await world.chat(provider_keys ? { provider_keys } : {}, { headers });
    const used = world.keysAt("test").map((key) => key === own.sealed);
    expect(used).toEqual([true, false, true, false]);
  });

  test("and an organization's keys at other providers do not touch the model", async () => {
    await world.chat({ provider_keys: [ownKeyAt("elsewhere")] });
    expect(world.memory.events[0]).not.toHaveProperty("own_fee");
    expect(settlementOfEvent(world.memory.events[0] as never).points).toBe(listPoints());
  });
});
