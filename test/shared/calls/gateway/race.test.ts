/** The race for the first frame, through the whole pipeline. What is late and what may be raced has its own tests. */
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { witnessOf } from "#shared/calls/routing/witness.ts";
import { open } from "#test/support/call.ts";
import { body, finish, lateMs, order, useRacing } from "#test/support/racing.ts";
import { delta, done, sse, usageFrame } from "#test/support/scenario.ts";
import { idOf, names } from "#test/support/three-ways.ts";

const ways = useRacing();
const { upstreams, stream, silent, told, logged, billedOnce, fails, countsOf } = ways;

describe("a stream that is late", () => {
  test("is raced by the next channel: the first frame wins, and the other one is broken off", async () => {
    const north = silent("north");
    const reply = await stream();
    expect(reply.text).toContain("south");
    expect(reply.headers).toMatchObject({
      "x-gateway-provider": "south",
      "x-gateway-attempts": "2",
      "x-gateway-route": "smart; via=south; why=race; of=3",
    });
    await north.closed;
    expect(told()).toEqual([
      ["north", "lost"],
      ["south", "answered"],
    ]);
    expect(ways.memory.events[0]).toMatchObject({ provider: "south", route: { why: "race" } });
    billedOnce();
    expect(upstreams.west.requests).toHaveLength(0);
  });

  test("is a fault of its channel and counted as raced, and the loser's cost is in the log", async () => {
    silent("north");
    await stream();
    expect(await countsOf("north")).toEqual({ faults: 1, limited: 0, raced: 1 });
    expect(await countsOf("south")).toEqual({ faults: 0, limited: 0, raced: 0 });
    const { windows } = await ways.memory.boards.read("test/model-1", ways.clock);
    const whose = witnessOf(ways.memory.owner().organization);
    expect(windows[0]?.channels[idOf("north")]?.raced_by).toEqual({ [whose]: 1 });
    expect(logged("race_lost")).toHaveLength(1);
    expect(logged("race_lost")[0]?.fields).toMatchObject({
      request: ways.memory.events[0]?.id,
      model: "test/model-1",
      provider: "north",
      credential: "NORTH_KEY",
      attempts: 1,
      attempt_ms: expect.any(Number) as number,
      input_tokens: expect.any(Number) as number,
    });
    expect(logged("upstream_failed")).toEqual([]);
  });

  test("may still win: then the one that was asked later has done nothing wrong", async () => {
    const north = silent("north");
    const south = silent("south");
    void south.asked.then(async () => finish(await north.asked, "north after all"));
    const reply = await stream();
    expect(reply.text).toContain("north after all");
    expect(reply.headers["x-gateway-route"]).toBe("smart; via=north; why=race; of=3");
    await south.closed;
    expect(told()).toEqual([
      ["south", "lost"],
      ["north", "answered"],
    ]);
    expect(await countsOf("north")).toEqual({ faults: 0, limited: 0, raced: 1 });
    expect(await countsOf("south")).toEqual({ faults: 0, limited: 0, raced: 0 });
    billedOnce();
  });

  test("does not win by the head of its answer", async () => {
    const head = (response: ServerResponse) => response.writeHead(200, sse).write(": soon\n\n");
    const north = silent("north", head);
    expect((await stream()).text).toContain("south");
    await north.closed;
    billedOnce();
  });

  test("and the other one may answer in the same moment: one of them is billed", async () => {
    const channels = { [idOf("north")]: { answers: 1_000 } };
    await ways.memory.boards.add({ model: "test/model-1", at: ways.clock, channels });
    for (let round = 0; round < 5; round++) {
      for (const list of [ways.memory.holds, ways.memory.events, ways.memory.settled]) list.length = 0;
      const north = silent("north");
      const south = silent("south");
      void Promise.all([north.asked, south.asked]).then((both) => {
        for (const each of both) finish(each, "at once");
      });
      expect((await stream()).text).toContain("at once");
      await Promise.all([north.closed, south.closed]);
      const outcomes = ways.memory.events[0]?.route?.attempts.map(({ outcome }) => outcome);
      expect(outcomes).toEqual(["lost", "answered"]);
      billedOnce();
    }
  });

  test("is raced once: a channel that fails in its place is followed by the next one", async () => {
    silent("north");
    fails("south", 429, { "retry-after": "12" });
    const reply = await stream();
    expect(reply.headers["x-gateway-route"]).toBe("smart; via=west; why=race; of=3");
    expect(told()).toEqual([
      ["south", "limited"],
      ["north", "lost"],
      ["west", "answered"],
    ]);
    expect(await countsOf("south")).toEqual({ faults: 0, limited: 1, raced: 0 });
    const { states } = await ways.memory.boards.read("test/model-1", ways.clock);
    expect(states[idOf("south")]?.limited_until).toBe(ways.clock + 12_000);
    billedOnce();
  });

  test("is followed by the others where it fails at last", async () => {
    const north = silent("north");
    const south = silent("south");
    void south.asked.then(async (response) => {
      (await north.asked).writeHead(500).end("{}");
      response.writeHead(500).end("{}");
    });
    const reply = await stream();
    expect(reply.headers["x-gateway-route"]).toMatch(/^smart; via=west; why=(race|failover); of=3/);
    expect(await countsOf("north")).toEqual({ faults: 1, limited: 0, raced: 1 });
    expect(await countsOf("south")).toMatchObject({ faults: 1, raced: 0 });
    billedOnce();
  });

  test("that probes its channel opens it for longer", async () => {
    silent("north");
    const level = 2;
    await ways.memory.boards.open("test/model-1", idOf("north"), {
      ...{ until: ways.clock - 1, level, now: ways.clock - 10 },
    });
    const reply = await stream();
    expect(reply.headers["x-gateway-route"]).toMatch(/^smart; via=south; why=race/);
    const { states } = await ways.memory.boards.read("test/model-1", ways.clock);
    expect(states[idOf("north")]).toMatchObject({ level: level + 1 });
    expect(states[idOf("north")]?.open_until).toBeGreaterThan(ways.clock);
  });
});

describe("a refusal of the request", () => {
  test("by one of them blames nobody while the other one is alive", async () => {
    const north = silent("north");
    upstreams.south.on(async (_, response) => {
      response.writeHead(400).end('{"error":{"message":"no"}}');
      setTimeout(async () => finish(await north.asked, "north can"), 20);
    });
    const reply = await stream();
    expect([reply.status, reply.headers["x-gateway-provider"]]).toEqual([200, "north"]);
    expect(told()).toEqual([
      ["south", "blamed"],
      ["north", "answered"],
    ]);
    billedOnce();
  });

  test.each([
    ["the late one failed", (response: ServerResponse) => response.writeHead(500).end("{}")],
    ["the late one broke off", (response: ServerResponse) => response.destroy()],
  ])("is told where %s too, and nobody else is asked", async (_, fail) => {
    const north = silent("north");
    upstreams.south.on((_request, response) => {
      response.writeHead(400).end('{"error":{"message":"too many tools"}}');
      setTimeout(async () => fail(await north.asked), 20);
    });
    const reply = await stream();
    expect(reply.status).toBe(400);
    expect(reply.text).toContain("too many tools");
    expect(upstreams.west.requests).toHaveLength(0);
    expect(ways.memory.events).toHaveLength(1);
    expect(ways.memory.events[0]).toMatchObject({ cost_points: "0", calls: 0 });
    expect(ways.memory.settled).toHaveLength(1);
  });
});

describe("a channel that cannot be asked", () => {
  test("because it has no key is passed over", async () => {
    silent("north");
    const { provider } = ways.memory.deps.secrets;
    ways.memory.deps.secrets.provider = async (name) =>
      name === "SOUTH_KEY" ? undefined : await provider(name);
    const reply = await stream();
    expect(reply.headers["x-gateway-route"]).toBe("smart; via=west; why=race; of=3");
    expect(upstreams.south.requests).toHaveLength(0);
    billedOnce();
  });

  test("because the keys cannot be read leaves the late one to answer", async () => {
    const north = silent("north");
    const { provider } = ways.memory.deps.secrets;
    ways.memory.deps.secrets.provider = async (name) => {
      if (name === "NORTH_KEY") return await provider(name);
      setTimeout(async () => finish(await north.asked, "north"), 20);
      throw new Error("no secrets");
    };
    const reply = await stream();
    expect(reply.headers["x-gateway-route"]).toBe("smart; via=north; why=order; of=3");
    expect(logged("race_not_sent")[0]?.fields.error).toContain("no secrets");
    billedOnce();
  });
});

describe("a call that ends", () => {
  test("because its time is over breaks both off and blames nobody", async () => {
    const [north, south] = [silent("north"), silent("south")];
    const reply = await stream({ timeLeft: limits.settlementReserveMs + 4 * lateMs });
    expect(reply.status).toBe(500);
    await Promise.all([north.closed, south.closed]);
    for (const name of names) expect(await countsOf(name)).toEqual({ faults: 0, limited: 0, raced: 0 });
    expect(ways.memory.events).toHaveLength(1);
    expect(ways.memory.events[0]).toMatchObject({ cost_points: "0", calls: 0 });
  });

  test("because its client is gone bills the winner, whose answer is read to its end", async () => {
    const north = silent("north");
    const { reply } = await open(ways.serve, "/v1/chat/completions", {
      headers: { ...ways.headers, ...order },
      body,
    });
    await north.closed;
    await reply.after?.();
    expect(told()?.at(-1)).toEqual(["south", "answered"]);
    billedOnce();
  });
});

describe("a strict model's stream", () => {
  test("takes its steps once, for the winner", async () => {
    const model = ways.memory.deps.catalog.find("test/model-1");
    if (model) Object.assign(model, { strict: true, output_tokens: 40_000 });
    Object.assign(ways.memory.deps.catalog.payg(), { routing: "smart" });
    ways.headers = { authorization: `Bearer ${ways.memory.addKey()}` };
    const pieces = delta("x".repeat(1_200)).repeat(12);
    for (const name of names)
      upstreams[name].on((_, response) => {
        response.writeHead(200, sse).write(pieces);
        setTimeout(() => response.end(usageFrame + done), 20);
      });
    const steps = async () => {
      const { holds, events, settled, extended } = ways.memory;
      for (const list of [holds, events, settled, extended]) list.length = 0;
      const { headers } = await stream();
      return [headers["x-gateway-attempts"], extended.length, settled.length];
    };
    if (model) model.routing = { race: false };
    expect(await steps()).toEqual(["1", 1, 1]);
    if (model) model.routing = { first_byte_ms: lateMs };
    silent("north");
    expect(await steps()).toEqual(["2", 1, 1]);
  });
});
