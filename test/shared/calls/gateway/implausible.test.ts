/**
 * A report that cannot be true of its request is billed as the most that the request could come to, flagged, and kept
 * as it was reported. The model takes 200,000 tokens and gives 8,192, at 2.5 and 10 points a million.
 */
import { describe, expect, test } from "vitest";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { parseUsageEvent, type UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { settledReceipt } from "#shared/books/reports/receipt.ts";
import { call } from "#test/support/call.ts";
import {
  chatBody,
  completion,
  delta,
  frame,
  namedFrame,
  streamOf,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();
const send = (path: string, body: object) => call(scenario.serve, path, { headers: scenario.bearer(), body });

const body = { ...chatBody, max_tokens: 9 };
/** The most input tokens of that body: its bytes and what a message adds. */
const inputMax = JSON.stringify(body).length + 64;

/** The event of a chat call whose provider reports this. */
async function eventOf(usage: object, asked: object = body): Promise<UsageEvent> {
  scenario.upstream.json({ ...completion, usage });
  const reply = await scenario.chat({ body: asked });
  const event = scenario.memory.events.at(-1) ?? expect.fail("no event");
  expect(reply.headers["x-gateway-cost-points"]).toBe(event.cost_points);
  return event;
}

describe("tokens", () => {
  test.each([
    ["input", { prompt_tokens: 800_001, completion_tokens: 4 }, [inputMax, 4]],
    ["output", { prompt_tokens: 10, completion_tokens: 32_769 }, [10, 9]],
    ["both", { prompt_tokens: 1e9, completion_tokens: 1e9 }, [inputMax, 9]],
    [
      "input, though its output goes on as reported",
      { prompt_tokens: 1e9, completion_tokens: 5 },
      [inputMax, 5],
    ],
  ])(
    "beyond four times what the model takes and gives, %s, are billed as the most",
    async (_, usage, billed) => {
      const event = await eventOf(usage);
      const { input_tokens, output_tokens } = event.usage;
      expect([input_tokens, output_tokens]).toEqual(billed);
      expect(event).toMatchObject({ evidence: "reported", calls: 1, flags: ["implausible"] });
      expect(event.reported).toEqual({
        ...noUsage,
        input_tokens: usage.prompt_tokens,
        output_tokens: usage.completion_tokens,
      });
      const hold = scenario.memory.holds[0]?.points ?? 0n;
      expect(parsePoints(event.cost_points)).toBeLessThanOrEqual(hold);
      expect(scenario.memory.settled[0]?.settlement.points).toBe(parsePoints(event.cost_points));
      expect(scenario.memory.logs.find(({ event }) => event === "call")?.fields.flags).toBe("implausible");
    },
  );

  test.each([
    ["input", { prompt_tokens: 800_000, completion_tokens: 4 }, "2.00004"],
    ["output", { prompt_tokens: 10, completion_tokens: 32_768 }, "0.327705"],
  ])("of up to four times, %s, are billed as reported, and flagged as an overrun", async (_, usage, cost) => {
    const event = await eventOf(usage);
    expect(event).toMatchObject({ cost_points: cost, flags: ["overrun"] });
    expect(event).not.toHaveProperty("reported");
  });

  test("of several choices are what each of them may give", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 65_536 };
    expect((await eventOf(usage, { ...body, n: 2 })).flags).toEqual(["overrun"]);
    expect((await eventOf(usage)).flags).toEqual(["implausible"]);
  });

  test("that could not even be read are both cut and implausible", async () => {
    const event = await eventOf({ prompt_tokens: 10, completion_tokens: 1e18 });
    expect(event.flags).toEqual(["usage_clamped", "implausible"]);
    expect([event.usage.output_tokens, event.reported?.output_tokens]).toEqual([9, 2 ** 40]);
  });

  test("that were cached count beside the others, the dearest first", async () => {
    scenario.upstream.json({
      type: "message",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: {
        input_tokens: 50,
        cache_creation_input_tokens: 20,
        cache_read_input_tokens: 1e9,
        output_tokens: 3,
      },
    });
    const asked = body;
    await send("/v1/messages", asked);
    const event = scenario.memory.events[0];
    expect(event?.usage).toMatchObject({
      cache_write_tokens: 20,
      input_tokens: 50,
      cache_read_tokens: JSON.stringify(asked).length + 64 - 70,
      output_tokens: 3,
    });
    expect(event?.flags).toEqual(["implausible"]);
  });

  test("of a provider's own tools are believed further: they read the input again", async () => {
    const asked = { ...body, tools: [{ type: "web_search" }] };
    expect((await eventOf({ prompt_tokens: 8_000_000, completion_tokens: 4 }, asked)).flags).toEqual([
      "overrun",
    ]);
    const beyond = await eventOf({ prompt_tokens: 8_000_001, completion_tokens: 4 }, asked);
    expect([beyond.flags, beyond.usage.input_tokens]).toEqual([["implausible"], 200_000]);
  });

  test("of a subscription are worth the most too", async () => {
    const subscription = {
      meter: "mtr_1",
      plan: "free",
      period: "monthly",
      started_at: 0,
      ends_at: null,
    } as const;
    scenario.key = scenario.memory.addKey({ mode: "subscription" }, { subscription });
    const event = await eventOf({ prompt_tokens: 1e9, completion_tokens: 4 });
    expect(event).toMatchObject({ cost_points: "0", calls: 1, flags: ["implausible"] });
    expect(event.usage.input_tokens).toBe(inputMax);
    expect(scenario.memory.settled[0]?.settlement.tokens).toBe(inputMax + 4);
  });

  test("of embeddings are believed as far as their inputs go, many or one", async () => {
    const embed = async (input: string[], prompt_tokens: number) => {
      scenario.upstream.json({ data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens } });
      await send("/v1/embeddings", { model: "test/embedding-1", input });
      return scenario.memory.events.at(-1)?.flags;
    };
    expect(await embed(["Hello"], 4 * 8_192)).toEqual(["overrun"]);
    expect(await embed(["Hello"], 4 * 8_192 + 1)).toEqual(["implausible"]);
    const many = Array.from({ length: 40 }, () => "x".repeat(1_000));
    expect(await embed(many, 4 * 8_192 + 1)).toEqual([]);
  });
});

describe("a stream", () => {
  test("that breaks off is not billed its early report where that cannot be", async () => {
    const start = {
      type: "message_start",
      message: { content: [], usage: { input_tokens: 1e12, output_tokens: 1 } },
    };
    const text = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } };
    scenario.upstream.on(streamOf(namedFrame(start), namedFrame(text)));
    const asked = { ...body, stream: true };
    await send("/v1/messages", asked);
    const event = scenario.memory.events[0];
    expect(event).toMatchObject({ evidence: "estimated", flags: ["no_usage", "implausible"] });
    expect(event?.usage.input_tokens).toBe(JSON.stringify(asked).length + 64);
    expect(event?.reported?.input_tokens).toBe(1e12);
    const receipt = settledReceipt([{ at: 0, event } as never]);
    expect(receipt).toHaveProperty("reason", expect.stringMatching(/are estimated\. They were more/));
  });

  test("that is strict is billed no more than its steps", async () => {
    const model = scenario.memory.deps.catalog.find("test/model-1");
    Object.assign(model ?? {}, { strict: true });
    scenario.upstream.on(
      streamOf(
        delta("Hi"),
        frame({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 1e9 } }),
        frame("[DONE]"),
      ),
    );
    await scenario.chat({ body: { ...chatBody, stream: true } });
    const event = scenario.memory.events[0];
    expect([event?.usage.output_tokens, event?.flags]).toEqual([4_096, ["implausible"]]);
    const hold = scenario.memory.holds[0]?.points ?? 0n;
    expect(parsePoints(event?.cost_points ?? "")).toBeLessThanOrEqual(hold);
  });
});

describe("pictures", () => {
  const made = (count: number, reported?: number) => ({
    data: Array.from({ length: count }, () => ({ url: "https://x.example/1.png" })),
    ...(reported !== undefined && { usage: { generated_images: reported } }),
  });

  test.each([
    ["more than were asked for", { n: 1 }, made(1, 15), 1, 15],
    ["more than there are", { n: 4 }, made(2, 4), 2, 4],
    ["an absurd number", { n: 1 }, made(1, 1e18), 1, 2 ** 40],
    ["more in the answer than were asked for, and no report", { n: 1 }, made(5), 1, 5],
    [
      "one, and none is there",
      { n: 1 },
      { data: [{ error: { code: "no" } }], usage: { generated_images: 1 } },
      0,
      1,
    ],
  ])("%s are billed as what the request came to at most", async (_, asked, answer, billed, reported) => {
    scenario.upstream.json(answer);
    const sent = { model: "test/image-1", prompt: "x", ...asked };
    const reply = await send("/api/v3/images/generations", sent);
    expect(reply.status).toBe(200);
    const [event] = scenario.memory.events;
    expect(event?.flags).toContain("implausible");
    expect([event?.usage.generated_images, event?.reported?.generated_images]).toEqual([billed, reported]);
    expect(event?.cost_points).toBe(formatPoints(BigInt(billed) * 190_000_000_000_000_000n));
  });

  test.each([
    ["as many as were asked for", { n: 4 }, made(4, 4), 4],
    ["fewer than are there", { n: 4 }, made(4, 3), 3],
    ["of a sequence", { sequential_image_generation: "auto" }, made(9), 9],
    ["of an answer in another form", { n: 2 }, { images: [{}, {}], usage: { generated_images: 2 } }, 2],
  ])("%s are billed as reported", async (_, asked, answer, billed) => {
    scenario.upstream.json(answer);
    await send("/api/v3/images/generations", { model: "test/image-1", prompt: "x", ...asked });
    const [event] = scenario.memory.events;
    expect([event?.usage.generated_images, event?.flags]).toEqual([billed, []]);
    expect(event).not.toHaveProperty("reported");
  });
});

test("a receipt shows the report beside what was billed, and says why", async () => {
  const event = await eventOf({ prompt_tokens: 1e9, completion_tokens: 4 });
  const sent = parseUsageEvent(JSON.stringify(event));
  const entry = {
    id: "e",
    kind: "usage",
    points: event.cost_points,
    at: 0,
    debit: "d",
    credit: "c",
    event: sent,
  };
  const receipt = settledReceipt([entry as never]) as Record<string, unknown>;
  expect(receipt).toMatchObject({
    flags: ["implausible"],
    usage: { input_tokens: inputMax, output_tokens: 4 },
    reported: { input_tokens: 1e9, output_tokens: 4 },
    cost_points: event.cost_points,
    lines: [{ quantity: inputMax }, { quantity: 4 }],
  });
  expect(receipt.reason).toContain("reported more than the request could come to");
});

test("an event whose report is no count is no event; one without a report is", () => {
  const event = { ...parsed, reported: { ...noUsage, input_tokens: -1 } };
  expect(() => parseUsageEvent(JSON.stringify(event))).toThrow("reported.input_tokens is no count");
  expect(parseUsageEvent(JSON.stringify(parsed))).toEqual(parsed);
});

const parsed = {
  version: 1,
  id: "req_01KAMXK5E8M0GQ3Z4V7J2X9C1D",
  organization: "org_1",
  project: "",
  key: "key_1",
  model: "m",
  mode: "payg",
  meter: "mtr_1",
  shard: 0,
  admitted_at: 1,
  ended_at: 2,
  usage: noUsage,
  price: { version: "v", price: {}, discount_rate: "1" },
  cost_points: "0",
  list_points: "0",
  calls: 1,
  evidence: "reported",
  source: "gateway",
  attempts: 1,
};
