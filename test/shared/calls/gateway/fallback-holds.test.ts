/** What is held for a call that may be answered by several models. */
import { describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { charge } from "#shared/books/billing/pricing/charge.ts";
import { holdPoints } from "#shared/books/billing/pricing/hold-points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { fallback, message, providers, subscription, useFallbacks } from "#test/support/fallback.ts";
import { chatBody, chatPath, completion, delta, done, sse, usageFrame } from "#test/support/scenario.ts";

const world = useFallbacks();

describe("the hold", () => {
  test("is the dearest model's, whichever is named first", async () => {
    const body = { ...chatBody, max_tokens: 500 };
    await world.chat("test/dear-1", { body });
    await world.chat("test/model-1", { body: { ...body, model: "test/dear-1" } });
    await world.send(chatPath, { body: { ...body, model: "test/dear-1" } });
    const [cheapFirst, dearFirst, dearAlone] = world.memory.holds.map(({ points }) => points);
    expect(dearFirst).toBe(dearAlone);
    // The names of models differ by one byte, and each byte of a request is held for.
    const byte = holdPoints({ input_tokens: 1, output_tokens: 0 }, world.priceOf("test/dear-1"));
    expect((cheapFirst ?? 0n) - (dearAlone ?? 0n)).toBeGreaterThanOrEqual(0n);
    expect((cheapFirst ?? 0n) - (dearAlone ?? 0n)).toBeLessThanOrEqual(byte);
  });

  test("reserves a subscription's tokens for the largest answer, and a budget's points for the dearest", async () => {
    const limits = { budget_points: "10", budget_period: "day" as const };
    world.key = world.memory.addKey({ mode: "subscription", limits }, { subscription: subscription() });
    // The dear model answers with 4,096 tokens at most, and the others with 8,192.
    const ask = async (model: string, fallbacks: string) => {
      await world.chat(fallbacks, { body: { ...chatBody, model, max_tokens: 8_000 } });
      return world.memory.holds.at(-1);
    };
    const [cheap, dear] = [
      await ask("test/model-1", "test/claude-1"),
      await ask("test/dear-1", "test/model-1"),
    ];
    expect(dear?.listPoints).toBeGreaterThan(cheap?.listPoints ?? 0n);
    expect(dear?.tokens).toBeGreaterThan(8_000);
    expect(Math.abs((dear?.tokens ?? 0) - (cheap?.tokens ?? 0))).toBeLessThan(10);
  });

  test("that is refused names a call that would fit with every model", async () => {
    const free = parsePoints("0.02");
    world.memory.admission = {
      admitted: false,
      error: "insufficient_balance",
      lack: { posted: free, free },
      limitStatus: {},
    };
    const suggested = async (value: string) =>
      Number(/`max_tokens` of at most (\d+)/.exec((await world.chat(value)).text)?.[1]);
    const [withDear, without] = [await suggested("test/dear-1"), await suggested("test/claude-1")];
    expect(withDear).toBeGreaterThan(0);
    expect(withDear).toBeLessThan(without);
    world.memory.admission = { admitted: true, limitStatus: {} };
    await world.chat("test/dear-1", { body: { ...chatBody, max_tokens: withDear } });
    expect(world.memory.holds.at(-1)?.points).toBeLessThanOrEqual(free);
    await world.chat("test/dear-1", { body: { ...chatBody, max_tokens: withDear + 10 } });
    expect(world.memory.holds.at(-1)?.points).toBeGreaterThan(free);
  });

  test("covers several steps of a strict model that is cheaper than another one", async () => {
    const strict = world.memory.deps.catalog.find("test/model-1");
    Object.assign(strict ?? {}, { strict: true });
    // Each part is sent when the one before has reached the client, so that each is a read of its own.
    const streamed = async (headers: Record<string, string>) => {
      let next = Promise.withResolvers<void>();
      world.upstreams.one.on(async (_, response) => {
        response.writeHead(200, sse);
        for (const part of [delta("Hi"), delta("x".repeat(13_500))]) {
          next = Promise.withResolvers();
          response.write(part);
          await next.promise;
        }
        response.end(usageFrame + done);
      });
      const onChunk = () => next.resolve();
      return await world.send(chatPath, { headers, body: { ...chatBody, stream: true }, onChunk });
    };
    await streamed(fallback("test/dear-1"));
    expect(world.memory.events[0]).toMatchObject({ model: "test/model-1", outcome: "completed" });
    expect(world.memory.extended).toEqual([]);
    await streamed({});
    expect(world.memory.extended).toHaveLength(1);
  });

  test("and the intent say which model is asked, before it is", async () => {
    world.fails("one");
    const seen: string[] = [];
    const attempts: number[] = [];
    const { meters } = world.memory.deps;
    const { intend } = meters;
    meters.intend = async (intent, attempt = 1) => {
      attempts.push(attempt);
      await intend(intent, attempt);
    };
    world.upstreams.two.on((_, response) => {
      seen.push(...world.memory.intents.map(({ model }) => model));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
    });
    await world.chat("test/dear-1", { headers: { "idempotency-key": "once" } });
    expect(seen).toEqual(["test/model-1", "test/dear-1"]);
    // The intent of an earlier attempt that arrives late changes nothing.
    expect(attempts).toEqual([1, 2]);
    const [first, second] = world.memory.intents;
    expect(second).toEqual({
      ...first,
      model: "test/dear-1",
      price: expect.anything(),
      requested_model: "test/model-1",
    });
    expect(second?.scope).toBeDefined();
    expect(second?.price.version).toBe(world.priceOf("test/dear-1").version);
  });

  test("where the intent cannot be written, the fallback is not asked", async () => {
    world.fails("one");
    world.upstreams.one.on((_, response) => {
      world.memory.intentFails = new Error("no answer");
      response.writeHead(500).end("{}");
    });
    expect((await world.chat("test/dear-1")).status).toBe(500);
    expect(world.asked()).toEqual(["one"]);
  });

  test("and the charge are at the rates of the model that serves what the request switches on", async () => {
    const factors = ["1.5", "2"];
    world.sell(({ models, ...catalog }) => ({
      ...catalog,
      models: models.map((model, at) => {
        const { price } = model as { price: object };
        const factor = factors[at];
        return factor
          ? { ...model, price: { ...price, rates: { service_tier: { priority: factor } } } }
          : model;
      }),
    }));
    world.fails("one");
    world.upstreams.two.json({ ...completion, service_tier: "priority" });
    const body = { ...chatBody, max_tokens: 500, service_tier: "priority" };
    await world.chat("test/dear-1", { body });
    const [event] = world.memory.events;
    expect(event?.usage.details).toEqual({ service_tier: "priority" });
    const plain = { ...noUsage, ...event?.usage, details: {} };
    const price = world.priceOf("test/dear-1");
    expect(parsePoints(event?.cost_points ?? "")).toBe(2n * charge(plain, price).points);
    const [hold] = world.memory.holds;
    expect(hold?.points).toBeGreaterThan(2n * holdPoints({ input_tokens: 0, output_tokens: 500 }, price));
  });

  test("covers the charge of whichever model answers, for any of many calls", async () => {
    const models = ["test/model-1", "test/dear-1", "test/claude-1"];
    for (let seed = 0; seed < 30; seed++) {
      const [first = "", ...others] = models.map((_, at) => models[(at + seed) % models.length] ?? "");
      const max_tokens = 1 + ((seed * 37) % 900);
      const report = { prompt_tokens: 1 + (seed % 9), completion_tokens: max_tokens };
      world.upstreams.one.json({ ...completion, usage: report });
      world.upstreams.two.json({ ...completion, usage: report });
      world.upstreams.three.json({
        ...message,
        usage: { input_tokens: report.prompt_tokens, output_tokens: max_tokens },
      });
      if (seed % 2 === 0) world.fails(providers[seed % 3] ?? "one");
      await world.chat(others.join(","), { body: { ...chatBody, model: first, max_tokens } });
    }
    expect(world.memory.events).toHaveLength(30);
    expect(new Set(world.memory.events.map(({ model }) => model)).size).toBe(3);
    for (const [at, event] of world.memory.events.entries()) {
      const due = charge(event.usage, world.priceOf(event.model)).points;
      expect(parsePoints(event.cost_points)).toBe(due);
      expect(world.memory.holds[at]?.points).toBeGreaterThanOrEqual(due);
      expect(event.flags).not.toContain("overrun");
    }
  });
});
