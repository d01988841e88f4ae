/** Fallback to other models through the whole pipeline: which models are asked, and what the answer and the event tell. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { parseUsageEvent } from "#shared/books/ledger/usage-event.ts";
import { fallback, message, providers, subscription, useFallbacks } from "#test/support/fallback.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  done,
  messageFrames,
  messagesBody,
  namedFrame,
  sse,
  streamOf,
  usageFrame,
} from "#test/support/scenario.ts";

const world = useFallbacks();

describe("the models", () => {
  test("are asked in turn, and the one that answers is charged, told and named", async () => {
    world.fails("one");
    const reply = await world.chat("test/dear-1, test/claude-1");
    expect([reply.status, world.asked()]).toEqual([200, ["one", "two"]]);
    expect(reply.headers).toMatchObject({
      "x-gateway-model": "test/dear-1",
      "x-gateway-provider": "two",
      "x-gateway-attempts": "2",
      "x-gateway-route": "basic; via=two; why=fallback; of=1",
    });
    const [event] = world.memory.events;
    const used = { ...noUsage, input_tokens: 10, output_tokens: 4 };
    expect(event).toMatchObject({ model: "test/dear-1", requested_model: "test/model-1", usage: used });
    expect(parsePoints(event?.cost_points ?? "")).toBe(charge(used, world.priceOf("test/dear-1")).points);
    expect(event?.price.version).toBe(world.priceOf("test/dear-1").version);
    expect(event?.route?.attempts).toMatchObject([
      { model: "test/model-1", provider: "one", outcome: "fault" },
      { provider: "two", outcome: "answered" },
    ]);
    expect(event?.route?.attempts[1]).not.toHaveProperty("model");
    expect(JSON.parse(world.upstreams.two.requests[0]?.body.toString() ?? "{}").model).toBe("two-upstream");
  });

  test("are not asked where the first answers, which the answer says too", async () => {
    const reply = await world.chat("test/dear-1");
    expect([reply.status, world.asked()]).toEqual([200, ["one"]]);
    expect(reply.headers["x-gateway-model"]).toBe("test/model-1");
    expect(reply.headers["x-gateway-route"]).toBe("basic; via=one; why=only; of=1");
    expect(world.memory.events[0]).toMatchObject({ model: "test/model-1" });
    expect(world.memory.events[0]).not.toHaveProperty("requested_model");
    expect(world.memory.intents).toHaveLength(1);
  });

  test("without the header nothing is said of them, and a failed call fails", async () => {
    world.fails("one");
    const reply = await world.send(chatPath, { body: chatBody });
    expect([reply.status, world.asked()]).toEqual([500, ["one"]]);
    expect(reply.headers).not.toHaveProperty("x-gateway-model");
  });

  test.each([true, false])("are reached in another protocol, stream: %j", async (stream) => {
    world.fails("one");
    world.fails("two");
    if (stream) {
      const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } };
      world.upstreams.three.on(
        streamOf(
          ...messageFrames,
          namedFrame({ type: "content_block_stop", index: 0 } as never),
          namedFrame(end as never),
          namedFrame({ type: "message_stop" }),
        ),
      );
    } else world.upstreams.three.json(message);
    const reply = await world.chat("test/dear-1,test/claude-1", { body: { ...chatBody, stream } });
    expect([reply.status, world.asked()]).toEqual([200, [...providers]]);
    expect(reply.text).toContain("Hi");
    expect(reply.headers["x-gateway-model"]).toBe("test/claude-1");
    expect(world.memory.events[0]).toMatchObject({
      model: "test/claude-1",
      attempts: 3,
      outcome: "completed",
    });
    expect(world.memory.events[0]?.usage).toMatchObject({ input_tokens: 10, output_tokens: 4 });
  });

  test("are asked by a client of Anthropic's protocol", async () => {
    world.upstreams.three.on((_, response) => response.writeHead(529).end("{}"));
    const body = { ...messagesBody, model: "test/claude-1" };
    const reply = await world.send("/v1/messages", { body, headers: fallback("test/model-1") });
    expect(reply.status).toBe(200);
    expect(reply.json()).toMatchObject({ type: "message", content: [{ type: "text", text: "Hi" }] });
    expect(world.memory.events[0]).toMatchObject({ model: "test/model-1", requested_model: "test/claude-1" });
  });

  test("are not asked once a frame has been read", async () => {
    world.upstreams.one.on((_, response) => {
      response.writeHead(200, sse).write(delta("Hi"));
      setImmediate(() => response.destroy());
    });
    const reply = await world.chat("test/dear-1", { body: { ...chatBody, stream: true } });
    expect(world.asked()).toEqual(["one"]);
    expect(reply.text).toContain("error");
    expect(world.memory.events[0]).toMatchObject({ model: "test/model-1", outcome: "truncated" });
  });

  test("are not asked where the provider blames the request", async () => {
    world.fails("one", 400);
    expect((await world.chat("test/dear-1")).status).toBe(400);
    expect(world.asked()).toEqual(["one"]);
  });

  test("are passed over where their provider blames the request, and the next one answers", async () => {
    world.fails("one");
    world.fails("two", 400);
    world.upstreams.three.json(message);
    const reply = await world.chat("test/dear-1,test/claude-1");
    expect([reply.status, reply.headers["x-gateway-model"]]).toEqual([200, "test/claude-1"]);
    expect(world.memory.events[0]?.route?.attempts.map(({ model, outcome }) => [model, outcome])).toEqual([
      ["test/model-1", "fault"],
      ["test/dear-1", "blamed"],
      [undefined, "answered"],
    ]);
  });

  test("are passed over where they cannot carry the request", async () => {
    world.fails("one");
    const body = { ...chatBody, logprobs: true };
    const reply = await world.chat("test/claude-1,test/dear-1", { body });
    expect([reply.status, world.asked()]).toEqual([200, ["one", "two"]]);
    expect(world.memory.logs).toContainEqual({
      event: "fallback_skipped",
      fields: expect.objectContaining({ model: "test/claude-1" }),
    });
  });

  test("where all fail, the call is free and has the first one's error, and one line rings the alarm", async () => {
    world.upstreams.one.on((_, response) => response.writeHead(429, { "retry-after": "7" }).end("{}"));
    world.fails("two");
    const reply = await world.chat("test/dear-1");
    expect([reply.status, reply.headers["retry-after"]]).toEqual([500, "7"]);
    expect(reply.headers).toMatchObject({
      "x-gateway-attempts": "2",
      "x-gateway-provider": "two",
      "x-gateway-model": "test/dear-1",
      "x-gateway-cost-points": "0",
    });
    expect(world.memory.events).toHaveLength(1);
    expect(world.memory.events[0]).toMatchObject({
      model: "test/model-1",
      outcome: "failed",
      attempts: 2,
      calls: 0,
    });
    expect(world.memory.events[0]?.route?.attempts).toMatchObject([
      { provider: "one" },
      { model: "test/dear-1" },
    ]);
    expect(world.memory.settled[0]?.settlement.giveBack).toBe(true);
    expect(world.memory.logs.filter(({ event }) => event === "call_failed")).toHaveLength(1);
  });

  test("a call that a fallback answers rings no alarm", async () => {
    world.fails("one");
    await world.chat("test/dear-1");
    expect(world.memory.logs.filter(({ event }) => event === "call_failed")).toEqual([]);
  });

  test("are asked where nobody could be asked for the first one", async () => {
    const { secrets } = world.memory.deps;
    world.memory.deps.secrets = {
      ...secrets,
      provider: async (name) => (name === "ONE_KEY" ? undefined : await secrets.provider(name)),
    };
    const reply = await world.chat("test/dear-1");
    expect([reply.status, reply.headers["x-gateway-attempts"]]).toEqual([200, "1"]);
    expect(world.memory.events[0]).toMatchObject({ model: "test/dear-1", requested_model: "test/model-1" });
  });

  test("are told with their last attempts where there are very many", async () => {
    world.sell(({ models, ...catalog }) => {
      const channels = Array.from({ length: 20 }, (_, at) => ({ provider: "one", model: `upstream-${at}` }));
      return { ...catalog, models: models.map((model, at) => (at === 0 ? { ...model, channels } : model)) };
    });
    world.fails("one");
    const reply = await world.chat("test/dear-1");
    expect([reply.status, reply.headers["x-gateway-attempts"]]).toEqual([200, "21"]);
    const [event] = world.memory.events;
    expect(event?.route?.attempts).toHaveLength(limits.routeAttemptsMax);
    expect(event?.route?.attempts.at(-1)).toMatchObject({ provider: "two", outcome: "answered" });
    expect(parseUsageEvent(JSON.stringify(event))).toEqual(event);
  });

  test("a stream waits a minute for the last channel of a model that is not the last", async () => {
    const waits: number[] = [];
    const { send: sendOn } = world.memory.deps;
    world.memory.deps.send = (request) => {
      waits.push(request.firstByteMs);
      return sendOn(request);
    };
    world.fails("one");
    world.upstreams.two.on(streamOf(delta("Hi"), usageFrame, done));
    await world.chat("test/dear-1", { body: { ...chatBody, stream: true } });
    expect(waits).toEqual([60_000, 290_000]);
  });

  test("the time of a call is that of all its models together", async () => {
    world.upstreams.one.on(() => {});
    const reply = await world.chat("test/dear-1", { timeLeft: 10_300 });
    expect([reply.status, world.asked()]).toEqual([500, ["one"]]);
    expect(world.memory.intents).toHaveLength(1);
  });
});

describe("an estimate", () => {
  test("of a broken stream is at the price of the model that answered", async () => {
    world.fails("one");
    world.upstreams.two.on((_, response) => {
      response.writeHead(200, sse).write(delta("Some words of an answer"));
      setImmediate(() => response.destroy());
    });
    await world.chat("test/dear-1", { body: { ...chatBody, stream: true } });
    const [event] = world.memory.events;
    expect(event).toMatchObject({ model: "test/dear-1", evidence: "estimated", outcome: "truncated" });
    const due = event && charge(event.usage, world.priceOf("test/dear-1")).points;
    expect(parsePoints(event?.cost_points ?? "")).toBe(due);
  });
});

describe("an idempotency key", () => {
  test("stands for the fallbacks too, and a repetition says who answered", async () => {
    world.fails("one");
    const once = { headers: { "idempotency-key": "once" } };
    const first = await world.chat("test/dear-1", once);
    const again = await world.chat("test/dear-1", once);
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({
      "x-gateway-replayed": first.id,
      "x-gateway-model": "test/dear-1",
      "x-gateway-cost-points": "0",
    });
    const other = await world.chat("test/claude-1", once);
    expect(other.status).toBe(400);
    expect(other.text).toContain("was used with another request");
    expect(world.memory.events.map(({ model }) => model)).toEqual(["test/dear-1"]);
  });
});

describe("the cache", () => {
  const body = { ...chatBody, temperature: 0 };

  test("keeps no answer of a fallback, and answers calls that name one", async () => {
    world.sell(({ plans, ...catalog }) => ({
      ...catalog,
      plans: { free: { ...plans.free, cache: true, rpm: null } },
    }));
    world.key = world.memory.addKey({ mode: "subscription" }, { subscription: subscription() });
    world.fails("one");
    const [first, second] = [
      await world.chat("test/dear-1", { body }),
      await world.chat("test/dear-1", { body }),
    ];
    for (const { headers } of [first, second])
      expect(headers).toMatchObject({ "x-gateway-cache": "miss", "x-gateway-model": "test/dear-1" });
    world.upstreams.one.json(completion);
    const own = await world.send(chatPath, { body });
    expect(own.headers["x-gateway-cache"]).toBe("miss");
    world.fails("one");
    const hit = await world.chat("test/dear-1", { body });
    expect(hit.headers["x-gateway-cache"]).toMatch(/^hit; /);
    expect(hit.headers).not.toHaveProperty("x-gateway-model");
    expect(world.memory.events.map(({ model, evidence }) => [model, evidence])).toEqual([
      ["test/dear-1", "reported"],
      ["test/dear-1", "reported"],
      ["test/model-1", "reported"],
      ["test/model-1", "cache"],
    ]);
  });
});
