/** Routing through the whole pipeline: what a call asks, notes and tells. The order itself has its own tests. */
import type { ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { chatBody, completion, delta, done, sse, streamOf, usageFrame } from "#test/support/scenario.ts";
import { idOf, type Name, names, useThreeWays } from "#test/support/three-ways.ts";

const ways = useThreeWays();
const { upstreams, chat, fails, countsOf } = ways;
const firstOf = async (body: object = chatBody) =>
  (await chat({}, body)).headers["x-gateway-provider"] as Name;
const states = async () => (await ways.memory.boards.read("test/model-1", ways.clock)).states;
describe("an answer", () => {
  test("says where it went and why, and so does the event", async () => {
    const reply = await chat();
    const via = reply.headers["x-gateway-provider"] as Name;
    expect(reply.headers["x-gateway-route"]).toBe(`smart; via=${via}; why=conversation; of=3`);
    expect(ways.memory.events[0]?.route).toMatchObject({
      routing: "smart",
      why: "conversation",
      of: 3,
      attempts: [{ provider: via, channel: idOf(via), outcome: "answered" }],
    });
  });

  test("of a stream tells how long it was made, a whole one does not", async () => {
    for (const name of names)
      upstreams[name].on((_, response: ServerResponse) => {
        response.writeHead(200, sse).write(delta("Hi"));
        ways.clock += 700;
        setImmediate(() => response.end(usageFrame + done));
      });
    await chat({}, { ...chatBody, stream: true });
    const [event] = ways.memory.events;
    const { sent_ms = 0, attempt_ms = 0 } =
      ways.memory.logs.find(({ event: name }) => name === "call")?.fields ?? {};
    const ended = (event?.ended_at ?? 0) - (event?.admitted_at ?? 0);
    expect(event?.route?.generation_ms).toBe(ended - sent_ms - attempt_ms);
    for (const name of names) upstreams[name].json(completion);
    await chat();
    expect(ways.memory.events[1]?.route).not.toHaveProperty("generation_ms");
  });

  test("keeps a conversation on its channel, and moves it only while that channel fails", async () => {
    const turns = (first: string) => ({ ...chatBody, messages: [{ role: "user", content: first }] });
    const home = await firstOf(turns("one"));
    for (let turn = 0; turn < 5; turn++) expect(await firstOf(turns("one"))).toBe(home);
    const others = await Promise.all(Array.from({ length: 20 }, (_, at) => firstOf(turns(`other ${at}`))));
    expect(new Set(others).size).toBe(3);
    fails(home, 500);
    expect(await firstOf(turns("one"))).not.toBe(home);
    upstreams[home].json(completion);
    expect(await firstOf(turns("one"))).toBe(home);
  });

  test("explains itself where asked, and another value is 400 before anything is held", async () => {
    const reply = await chat({ headers: { "x-gateway-explain": "1" } });
    const told = JSON.parse(reply.headers["x-gateway-explanation"] ?? "{}") as { channels: object[] };
    expect(told.channels).toHaveLength(3);
    expect((await chat()).headers["x-gateway-explanation"]).toBeUndefined();
    ways.memory.holds.length = 0;
    expect((await chat({ headers: { "x-gateway-explain": "yes" } })).status).toBe(400);
    expect(ways.memory.holds).toEqual([]);
  });
});

describe("wishes", () => {
  test("choose the channel on smart routing", async () => {
    for (const name of names) {
      const reply = await chat({ headers: { "x-gateway-route": `order=${name}` } });
      expect(reply.headers["x-gateway-route"]).toBe(`smart; via=${name}; why=order; of=3`);
    }
  });

  test("are ignored on basic routing, and the answer says so", async () => {
    ways.headers = { authorization: `Bearer ${ways.memory.addKey()}` };
    const plain = (await chat()).headers["x-gateway-provider"];
    const reply = await chat({ headers: { "x-gateway-route": "order=north,south,west; fallbacks=off" } });
    expect(reply.headers["x-gateway-provider"]).toBe(plain);
    expect(reply.headers["x-gateway-route"]).toMatch(/^basic; .*; preferences=ignored$/);
  });

  test.each(["best=north", "only=nobody", "sort=fun", "only=north; only=south", "only=north\r\nx: y"])(
    "%j is 400, and holds nothing",
    async (wish) => {
      const reply = await chat({ headers: { "x-gateway-route": wish } });
      expect(reply.status).toBe(400);
      expect(reply.text).toContain("x-gateway-route");
      expect([ways.memory.holds, ways.memory.events]).toEqual([[], []]);
    },
  );

  test("that no fallback is made are kept where the only channel fails", async () => {
    fails("north", 500);
    const reply = await chat({ headers: { "x-gateway-route": "only=north" } });
    expect([reply.status, reply.headers["x-gateway-attempts"]]).toEqual([500, "1"]);
    expect(reply.headers["x-gateway-route"]).toBe("smart; via=north; why=only; of=1");
    expect(upstreams.south.requests.length + upstreams.west.requests.length).toBe(0);
  });
});

describe("what a call sees", () => {
  test("three faults open a channel for every process, and one probe closes it again", async () => {
    fails("north", 500);
    const order = { headers: { "x-gateway-route": "order=north,south,west" } };
    for (let at = 0; at < 3; at++) {
      const { headers: told } = await chat(order);
      expect(told["x-gateway-route"]).toMatch(/^smart; via=south; why=failover; of=3/);
    }
    expect(await countsOf("north")).toEqual({ faults: 3, limited: 0, raced: 0 });
    expect((await states())[idOf("north")]).toMatchObject({ level: 1 });
    // A process that has seen none of this leaves it too.
    const other = createPipeline({} as LocalAnswers, ways.memory.deps);
    const asOther = () =>
      call(other, "/v1/chat/completions", { headers: { ...ways.headers, ...order.headers }, body: chatBody });
    expect((await asOther()).headers["x-gateway-route"]).toMatch(
      /^smart; via=south; why=order; of=3; out=north:open\(\ds\)$/,
    );
    upstreams.north.json(completion);
    ways.clock += 3_000;
    expect((await asOther()).headers["x-gateway-route"]).toMatch(/^smart; via=north; why=probe; of=3/);
    expect((await states())[idOf("north")]?.level ?? 0).toBe(0);
    expect(ways.memory.boards.claims).toBe(1);
  });

  test("a limit is no fault, and is left as long as the provider says", async () => {
    fails("north", 429, { "retry-after": "12" });
    await chat({ headers: { "x-gateway-route": "order=north,south" } });
    expect(await countsOf("north")).toEqual({ faults: 0, limited: 1, raced: 0 });
    expect((await states())[idOf("north")]?.limited_until).toBe(ways.clock + 12_000);
    const told = (await chat({ headers: { "x-gateway-route": "order=north,south" } })).headers[
      "x-gateway-route"
    ];
    expect(told).toBe("smart; via=south; why=order; of=3; out=north:limited(12s)");
  });

  test("is written before the invocation ends", async () => {
    fails("north", 500);
    let written = false;
    const add = ways.memory.boards.add.bind(ways.memory.boards);
    ways.memory.boards.add = async (addition) => {
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
      written = true;
      return await add(addition);
    };
    await chat({ headers: { "x-gateway-route": "order=north,south" } });
    expect(written).toBe(true);
  });

  test("a request that a provider blames says nothing of the channel", async () => {
    for (const name of names) fails(name, 400);
    for (let at = 0; at < 5; at++) expect((await chat()).status).toBe(400);
    expect(await Promise.all(names.map(countsOf))).toEqual(
      names.map(() => ({ faults: 0, limited: 0, raced: 0 })),
    );
    expect(ways.memory.events.at(-1)?.route?.attempts).toMatchObject([{ outcome: "blamed" }]);
  });

  test("a stream that its provider breaks off is a fault", async () => {
    for (const name of names)
      upstreams[name].on((_, response) => {
        response.writeHead(200, sse);
        response.write(delta("Hello"), () => response.destroy());
      });
    const reply = await chat({}, { ...chatBody, stream: true });
    const via = reply.headers["x-gateway-provider"] as Name;
    expect((await countsOf(via)).faults).toBe(1);
  });

  test("a call whose own time is over blames no channel", async () => {
    for (const name of names) upstreams[name].on(() => {});
    const reply = await chat({ timeLeft: limits.settlementReserveMs + 50 });
    expect(reply.status).toBe(500);
    expect(await Promise.all(names.map(countsOf))).toEqual(
      names.map(() => ({ faults: 0, limited: 0, raced: 0 })),
    );
  });
});

describe("the wait for the head of an answer", () => {
  const waits = async (body: object) => {
    const asked: number[] = [];
    const { send } = ways.memory.deps;
    ways.memory.deps.send = (request) => {
      asked.push(request.firstByteMs);
      return send(request);
    };
    for (const name of names) fails(name, 500);
    await chat({}, body);
    return asked;
  };

  test("of a stream is short while another channel is left", async () => {
    const { upstreamFailoverMs: short, upstreamSilenceMs: long } = limits;
    expect(await waits({ ...chatBody, stream: true })).toEqual([short, short, long]);
  });

  test("of a stream whose head has come is as short for its first frame", async () => {
    const model = ways.memory.deps.catalog.find("test/model-1");
    if (model) model.routing = { race: false };
    upstreams.north.on((_, response: ServerResponse) => response.writeHead(200, sse).flushHeaders());
    upstreams.south.on(streamOf(delta("Hi"), usageFrame, done));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let [passed, isOver] = [0, false];
      const order = { headers: { "x-gateway-route": "order=north,south" } };
      const reply = chat({ ...order, timeLeft: 900_000 }, { ...chatBody, stream: true }).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await new Promise(setImmediate);
        if (upstreams.north.requests.length === 0) continue;
        await vi.advanceTimersByTimeAsync(100);
        passed += 100;
      }
      expect((await reply).headers["x-gateway-provider"]).toBe("south");
      expect(passed).toBeLessThan(limits.upstreamFailoverMs + 10_000);
    } finally {
      vi.useRealTimers();
    }
  });

  test("of a whole answer is long, because its head comes with its end", async () => {
    const { upstreamSilenceMs: long } = limits;
    expect(await waits(chatBody)).toEqual([long, long, long]);
  });
});

test("a board that cannot be reached changes the order and nothing else", async () => {
  const down = async () => {
    throw new Error("no board");
  };
  Object.assign(ways.memory.boards, {
    read: down,
    add: down,
    limit: down,
    open: down,
    claimProbe: down,
    close: down,
  });
  fails("north", 500);
  for (let at = 0; at < 4; at++) {
    const reply = await chat({ headers: { "x-gateway-route": "order=north,south" } });
    expect([reply.status, reply.headers["x-gateway-provider"]]).toEqual([200, "south"]);
  }
  const logged = ways.memory.logs.filter(({ event }) => event === "board_unreachable");
  expect(logged).toHaveLength(1);
  expect(ways.memory.settled).toHaveLength(4);
});

test("a streamed call asks the next channel before its first frame", async () => {
  upstreams.north.on((_, response) => response.destroy());
  upstreams.south.on(streamOf(delta("Hi"), usageFrame, done));
  const asked = { headers: { "x-gateway-route": "order=north,south" } };
  const reply = await chat(asked, { ...chatBody, stream: true });
  expect(reply.headers["x-gateway-route"]).toBe("smart; via=south; why=failover; of=3");
  expect(ways.memory.events[0]?.route?.attempts.map(({ provider, outcome }) => [provider, outcome])).toEqual([
    ["north", "fault"],
    ["south", "answered"],
  ]);
});
