/** Strict models: a stream holds its output step by step, ahead of it, and ends where the balance has no next step. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { holdPoints } from "#shared/books/billing/pricing/hold-points.ts";
import type { PinnedPrice } from "#shared/books/billing/pricing/price.ts";
import type { Extension } from "#shared/books/meters/admission.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { createGuard, firstStep } from "#shared/calls/gateway/strict.ts";
import type { WithoutTicket } from "#test/support/memory.ts";
import {
  chatBody,
  completion,
  delta,
  done,
  frame,
  sse,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";
import { walletHold } from "#test/support/store.ts";

const scenario = useScenario();
const step = limits.strictStepTokens;
/** 400 tokens by the estimate. */
const piece = delta("x".repeat(1_200));
const piecesOf = (tokens: number) => Math.ceil(tokens / 400);

function beStrict(): void {
  const model = scenario.memory.deps.catalog.find("test/model-1");
  if (model) Object.assign(model, { strict: true });
}

const streamed = (fields: object = {}) => ({ body: { ...chatBody, stream: true, ...fields } });

/** What it holds with so many tokens of output instead of a first step: the input's part is the same. */
function heldFor(output: number): bigint {
  const [first, price] = [scenario.memory.holds[0], scenario.memory.intents[0]?.price];
  if (!first || !price) throw new Error("nothing was admitted");
  const part = (tokens: number) => holdPoints({ input_tokens: 0, output_tokens: tokens }, price);
  return first.points - part(step) + part(output);
}

/** The provider sends so many pieces, each when the one before has reached the client, and then ends. */
function paced(count: number): {
  onChunk: (chunk: Buffer) => void;
  arrived: () => number;
  sent: () => number;
} {
  let arrived = 0;
  let sent = 0;
  let next: (() => void) | undefined;
  scenario.upstream.on(async (_, response) => {
    response.writeHead(200, sse);
    const closed = once(response, "close");
    for (sent = 0; sent < count && !response.destroyed; ) {
      const seen = new Promise<void>((resolve) => (next = resolve));
      response.write(piece);
      sent += 1;
      await Promise.race([seen, closed]);
    }
    if (!response.destroyed) response.end(usageFrame + done);
  });
  const onChunk = (chunk: Buffer) => {
    arrived += chunk.toString().split(piece).length - 1;
    next?.();
  };
  return { onChunk, arrived: () => arrived, sent: () => sent };
}

describe("a strict stream", () => {
  test("holds a first step, and the next before the first is used up", async () => {
    beStrict();
    const pace = paced(20);
    const asked: number[] = [];
    scenario.memory.extension = async () => {
      asked.push(pace.sent());
      return { extended: true };
    };
    const reply = await scenario.chat({ ...streamed(), onChunk: pace.onChunk });
    expect(reply.text.endsWith(usageFrame + done)).toBe(true);
    // 80 % of a step is 3,277 tokens. The second step is the model's maximum, so there is no third.
    expect(asked).toEqual([piecesOf(step * 0.8)]);
    expect(piecesOf(step * 0.8)).toBeLessThan(piecesOf(step));
    expect(scenario.memory.extended.map(({ points }) => points)).toEqual([heldFor(8_192)]);
    // The settlement compares what is held now.
    expect(scenario.memory.settled[0]?.ticket.hold.points).toBe(heldFor(8_192));
    expect(scenario.memory.events[0]).toMatchObject({
      outcome: "completed",
      evidence: "reported",
      flags: [],
    });
  });

  test("is stopped within a chunk when there is no next step, and billed for what came", async () => {
    beStrict();
    const pace = paced(20);
    scenario.memory.extension = async () => ({ extended: false, error: "insufficient_balance" });
    const reply = await scenario.chat({ ...streamed(), onChunk: pace.onChunk });
    const asked = piecesOf(step * 0.8);
    expect(pace.arrived()).toBeLessThanOrEqual(asked + 1);
    // The provider notices a little later.
    expect(pace.sent()).toBeLessThan(asked + 5);
    const last = JSON.parse(reply.text.trim().split("data: ").at(-1) ?? "") as object;
    expect(last).toMatchObject({ error: { code: "40201" } });
    expect(scenario.memory.events[0]).toMatchObject({
      outcome: "truncated",
      evidence: "estimated",
      usage: { output_tokens: expect.any(Number) },
    });
    const billed = scenario.memory.events[0]?.usage.output_tokens ?? 0;
    expect(billed).toBeGreaterThanOrEqual(400 * pace.arrived());
    expect(billed).toBeLessThan(step);
    expect(scenario.memory.settled).toHaveLength(1);
  });

  test("is stopped, and says so, also where the provider has told a running total of what it has sent", async () => {
    beStrict();
    scenario.memory.extension = async () => ({ extended: false, error: "insufficient_balance" });
    const total = { prompt_tokens: 10, completion_tokens: 3_000 };
    const chunk = { choices: [{ index: 0, delta: { content: "Hi" } }], usage: total };
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse).write(frame(chunk) + piece.repeat(piecesOf(step * 0.8)));
    });
    const reply = await scenario.chat(streamed());
    expect(reply.text).toContain("40201");
    expect(scenario.memory.events[0]).toMatchObject({ outcome: "truncated", evidence: "reported" });
  });

  test("is stopped also while it waits for a silent provider", async () => {
    beStrict();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Extension>();
    scenario.memory.extension = () => {
      asked.resolve();
      return answer.promise;
    };
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse).write(piece.repeat(piecesOf(step * 0.8)));
    });
    const reply = scenario.chat(streamed());
    await asked.promise;
    for (let i = 0; i < 50; i++) await turn();
    answer.resolve({ extended: false, error: "insufficient_balance" });
    // Not only when the time of the function runs out.
    expect((await reply).text).toContain("40201");
  });

  test("waits for its next step when it has come to the end of the first, and not before", async () => {
    beStrict();
    let grant: (extension: WithoutTicket<Extension>) => void = () => {};
    scenario.memory.extension = () => new Promise((resolve) => (grant = resolve));
    const pieces = piecesOf(step) + 2;
    let written = 0;
    let arrived = 0;
    scenario.upstream.on(async (_, response: ServerResponse) => {
      response.writeHead(200, sse);
      for (; written < pieces; written++) {
        response.write(piece);
        while (arrived < Math.min(written + 1, piecesOf(step) - 1)) await turn();
      }
      for (let i = 0; i < 50; i++) await turn();
      expect(arrived).toBe(piecesOf(step) - 1);
      grant({ extended: true });
      response.end(usageFrame + done);
    });
    const onChunk = (chunk: Buffer) => (arrived += chunk.toString().split(piece).length - 1);
    const reply = await scenario.chat({ ...streamed(), onChunk });
    expect(arrived).toBe(pieces);
    expect(reply.text.endsWith(done)).toBe(true);
  });

  test("takes as many steps as a large frame needs", async () => {
    beStrict();
    const model = scenario.memory.deps.catalog.find("test/model-1");
    if (model) Object.assign(model, { output_tokens: 10 * step });
    const large = delta("x".repeat(3 * 3 * step));
    const arrived: string[] = [];
    scenario.upstream.on(async (_, response) => {
      response.writeHead(200, sse).write(piece);
      while (arrived.length === 0) await turn();
      response.write(large);
      while (!arrived.join("").includes(large)) await turn();
      response.end(usageFrame + done);
    });
    await scenario.chat({ ...streamed(), onChunk: (chunk) => arrived.push(chunk.toString()) });
    const steps = [2, 3, 4].map((count) => heldFor(count * step));
    expect(scenario.memory.extended.map(({ points }) => points)).toEqual(steps);
  });

  test("settles what is held when it ends while its next step is under way", async () => {
    beStrict();
    const count = piecesOf(step * 0.8);
    let grant: (extension: WithoutTicket<Extension>) => void = () => {};
    const asked = new Promise<void>((resolve) => {
      scenario.memory.extension = () => {
        resolve();
        return new Promise((settle) => (grant = settle));
      };
    });
    const pace = paced(count);
    const reply = scenario.chat({ ...streamed(), onChunk: pace.onChunk });
    await asked;
    for (let i = 0; i < 50; i++) await turn();
    expect(scenario.memory.events).toEqual([]);
    grant({ extended: true });
    await reply;
    expect(scenario.memory.settled[0]?.ticket.hold.points).toBe(heldFor(8_192));
  });

  test("has its next step also where another shard has the points for it", async () => {
    beStrict();
    const { memory } = scenario;
    const answers: WithoutTicket<Extension>[] = [
      { extended: false, error: "insufficient_balance", tryOtherShard: true },
      { extended: true },
    ];
    memory.extension = async () => answers.shift() ?? { extended: false, error: "internal" };
    const gathered: [points: bigint, at: number | undefined][] = [];
    memory.deps.meters.gather = async ({ points }, at) => {
      gathered.push([points, at]);
      return { shard: 0 };
    };
    const reply = await scenario.chat({ ...streamed(), onChunk: paced(12).onChunk });
    expect(reply.text.endsWith(usageFrame + done)).toBe(true);
    expect(gathered).toEqual([[heldFor(8_192) - heldFor(step), 0]]);
  });

  test("that cannot be told whether it has a next step is stopped, and not for its balance", async () => {
    beStrict();
    const pace = paced(20);
    scenario.memory.extension = async () => {
      throw new Error("store down");
    };
    const reply = await scenario.chat({ ...streamed(), onChunk: pace.onChunk });
    expect(reply.text).toContain("50000");
    expect(pace.arrived()).toBeLessThan(piecesOf(step));
  });
});

test("a first frame of several steps has all of them asked for before the hold is settled", async () => {
  const price = { price: { mode: "flat_tokens" }, discount_rate: "1" } as unknown as PinnedPrice;
  let asking = 0;
  const meters = {
    extend: async () => {
      asking += 1;
      await turn();
      asking -= 1;
      return { extended: true, ticket };
    },
  };
  const bounds = { input_tokens: 0, output_tokens: 10 * step };
  const steps = firstStep(bounds);
  const ticket = ticketOf(walletHold("mtr_1", "0"));
  const admitted = { request: { id: "req_1" }, ticket, price, ...(steps && { steps }) };
  const guard = createGuard(admitted as never, () => {}, { ...scenario.memory.deps, meters } as never);
  void guard.reached(() => 3 * 4 * step);
  const held = await guard.idle();
  expect([asking, held.steps?.covered.output_tokens]).toEqual([0, 6 * step]);
  // What the call was admitted with is left as it was.
  expect(steps?.covered.output_tokens).toBe(step);
});

describe("the whole maximum is held", () => {
  const part = (tokens: number) =>
    holdPoints({ input_tokens: 0, output_tokens: tokens }, scenario.memory.intents[0]?.price as never);
  test.each([
    ["of a model that is not strict", false, { stream: true }, 8_192],
    ["of a whole reply", true, {}, 8_192],
    ["of a request with a small maximum of its own", true, { stream: true, max_tokens: 4_096 }, 4_096],
  ])("%s", async (_, strict, fields, output) => {
    if (strict) beStrict();
    const pace = "stream" in fields ? paced(15) : undefined;
    if (!pace) scenario.upstream.json(completion);
    await scenario.chat({ body: { ...chatBody, ...fields }, ...(pace && { onChunk: pace.onChunk }) });
    const held = scenario.memory.holds[0]?.points ?? 0n;
    expect(held).toBeGreaterThan(part(output));
    // Input is a few hundred bytes.
    expect(held).toBeLessThan(part(output + 300));
    expect(scenario.memory.extended).toEqual([]);
  });

  test("and nothing of a subscription, which holds no points", async () => {
    beStrict();
    const subscription = {
      meter: "mtr_1",
      plan: "free",
      period: "monthly" as const,
      started_at: 0,
      ends_at: null,
    };
    const key = scenario.memory.addKey({ mode: "subscription" }, { subscription, wallet: null });
    const pace = paced(15);
    await scenario.chat({ ...streamed(), headers: { "x-api-key": key }, onChunk: pace.onChunk });
    expect([scenario.memory.holds[0]?.points, scenario.memory.extended]).toEqual([0n, []]);
  });
});
