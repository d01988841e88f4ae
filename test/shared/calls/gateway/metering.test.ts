/** What a call is charged: published before its end is released, settled after it, whatever happened. */
import { describe, expect, test } from "vitest";
import { readerOf } from "#test/support/body.ts";
import { open } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  done,
  frame,
  messageFrames,
  messagesBody,
  namedFrame,
  sse,
  streamOf,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();
const empty = {
  ...completion,
  choices: [{ index: 0, message: { role: "assistant", content: "" } }],
  usage: { prompt_tokens: 10, completion_tokens: 0 },
};

describe("metering", () => {
  test("the end of a stream is held until the queue has acknowledged the usage", async () => {
    let acknowledge: (() => void) | undefined;
    const arrived: string[] = [];
    const sent = new Promise<void>((resolve) => {
      scenario.memory.deps.queue.send = (event) => {
        scenario.memory.events.push(event);
        resolve();
        return new Promise((settle) => (acknowledge = settle));
      };
    });
    scenario.upstream.on(streamOf(delta("Hi"), usageFrame, done));
    const reply = scenario.chat({
      body: { ...chatBody, stream: true },
      onChunk: (chunk) => arrived.push(chunk.toString()),
    });
    await sent;
    // An end that did not wait would have left by now.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(arrived.join("")).toBe(delta("Hi"));
    expect(scenario.memory.settled).toEqual([]);
    acknowledge?.();
    await reply;
    expect(arrived.join("")).toBe(delta("Hi") + usageFrame + done);
    expect(scenario.memory.settled).toHaveLength(1);
  });

  test("the charge is the formula's, to the last digit", async () => {
    const cached = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: 400 },
    };
    scenario.upstream.on((_, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ...completion, usage: cached })),
    );
    const reply = await scenario.chat({ body: { ...chatBody, user: "someone" } });
    // billing.md V23.
    expect(scenario.memory.events[0]).toMatchObject({
      id: reply.id,
      cost_points: "0.0026",
      list_points: "0.0026",
      calls: 1,
      user: "someone",
      evidence: "reported",
      flags: [],
    });
    expect(scenario.memory.settled[0]?.settlement).toMatchObject({
      points: 2_600_000_000_000_000n,
      tokens: 1100,
      giveBack: false,
    });
  });

  test("a queue that refuses is replaced by the ledger, the same event", async () => {
    scenario.memory.queueFails = true;
    scenario.upstream.json(completion);
    expect((await scenario.chat()).status).toBe(200);
    expect(scenario.memory.direct).toHaveLength(1);
    expect(scenario.memory.settled).toHaveLength(1);
  });

  test("when queue and ledger both refuse, the client is served and the hold stays for the sweeper", async () => {
    scenario.memory.queueFails = true;
    scenario.memory.ledgerFails = true;
    scenario.upstream.json(completion);
    expect((await scenario.chat()).status).toBe(200);
    expect(scenario.memory.settled).toEqual([]);
    expect(scenario.memory.logs.map(({ event }) => event)).toContain("settle_gap");
  });

  test("a client that hangs up is billed exactly", async () => {
    const gone = Promise.withResolvers<void>();
    scenario.upstream.on(async (_, response) => {
      response.writeHead(200, sse).write(delta("Hi"));
      // What it costs is told only after the client has left.
      await gone.promise;
      response.end(delta("there") + usageFrame + done);
    });
    const { reply } = await open(scenario.serve, chatPath, {
      headers: scenario.bearer(),
      body: { ...chatBody, stream: true },
    });
    const body = readerOf(reply);
    await body.next();
    body.leave();
    gone.resolve();
    await reply.after?.();
    expect(scenario.memory.events[0]).toMatchObject({
      outcome: "completed",
      evidence: "reported",
      cost_points: "0.000065",
    });
    expect(scenario.memory.settled).toHaveLength(1);
  });

  test("a completion without output and without an end is free and gives the call back", async () => {
    scenario.upstream.json(empty);
    expect((await scenario.chat()).status).toBe(200);
    expect(scenario.memory.events[0]).toMatchObject({ cost_points: "0", calls: 0, flags: ["empty"] });
    expect(scenario.memory.settled[0]?.settlement).toMatchObject({ points: 0n, giveBack: true });
  });

  test("zero output that was reported is honoured", async () => {
    scenario.upstream.json({ ...completion, usage: { prompt_tokens: 10, completion_tokens: 0 } });
    await scenario.chat();
    expect(scenario.memory.events[0]).toMatchObject({
      evidence: "reported",
      cost_points: "0.000025",
      calls: 1,
    });
  });

  test("no reported usage is estimated and flagged, never free", async () => {
    scenario.upstream.json({ ...completion, usage: undefined });
    await scenario.chat();
    expect(scenario.memory.events[0]).toMatchObject({ evidence: "estimated", flags: ["no_usage"], calls: 1 });
    expect(scenario.memory.events[0]?.usage.input_tokens).toBeGreaterThan(0);
    expect(scenario.memory.events[0]?.usage.output_tokens).toBe(1);
  });

  test.each([[1e18], ["12"], [-5], [1.5], [Number.NaN], [null]])(
    "absurd counters never break a call: %s",
    async (value) => {
      scenario.upstream.json({ ...completion, usage: { prompt_tokens: 10, completion_tokens: value } });
      expect((await scenario.chat()).status).toBe(200);
      const output = scenario.memory.events[0]?.usage.output_tokens ?? -1;
      expect(output).toBeGreaterThanOrEqual(0);
      expect(output).toBeLessThanOrEqual(2 ** 40);
      expect(scenario.memory.events[0]?.flags.includes("usage_clamped")).toBe(value === 1e18);
    },
  );

  test("usage on every chunk is cumulative: the last counts, and nothing is held back for it", async () => {
    const running = (content: string, completion_tokens: number, finish: string | null = null) =>
      frame({
        choices: [{ index: 0, delta: { content }, finish_reason: finish }],
        usage: { prompt_tokens: 10, completion_tokens },
      });
    scenario.upstream.on(streamOf(running("a", 1), running("b", 2), running("c", 3, "stop"), done));
    const reply = await scenario.chat({ body: { ...chatBody, stream: true } });
    expect(reply.text).toBe(running("a", 1) + running("b", 2) + running("c", 3, "stop") + done);
    expect(scenario.memory.events[0]?.usage).toMatchObject({ input_tokens: 10, output_tokens: 3 });
  });

  test("Anthropic's two usages become one, and cached input is not counted twice", async () => {
    const start = {
      type: "message_start",
      message: {
        content: [],
        usage: {
          input_tokens: 600,
          cache_read_input_tokens: 400,
          cache_creation_input_tokens: 50,
          output_tokens: 1,
        },
      },
    };
    const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 100 } };
    scenario.upstream.on(
      streamOf(
        namedFrame(start),
        ...messageFrames.slice(1),
        namedFrame(end),
        namedFrame({ type: "message_stop" }),
      ),
    );
    await scenario.message({ body: { ...messagesBody, stream: true } });
    // billing.md V24.
    expect(scenario.memory.events[0]).toMatchObject({
      cost_points: "0.00275625",
      usage: { input_tokens: 600, cache_read_tokens: 400, cache_write_tokens: 50, output_tokens: 100 },
    });
  });
});

test.each([true, false])(
  "a free answer is not kept for who repeats the call, streamed: %s",
  async (stream) => {
    const ask = (...frames: string[]) => {
      const usageOf = frames.length > 0 ? usageFrame : frame({ id: "c", choices: [], usage: empty.usage });
      if (stream) scenario.upstream.on(streamOf(...frames, usageOf, done));
      else scenario.upstream.json(frames.length > 0 ? completion : empty);
      const headers = { ...scenario.bearer(), "idempotency-key": "k" };
      return scenario.chat({ headers, body: { ...chatBody, stream } });
    };
    expect((await ask()).status).toBe(200);
    const again = await ask(delta("Hi"));
    expect([again.text.includes("Hi"), scenario.upstream.requests.length]).toEqual([true, 2]);
    expect((await ask()).headers["x-gateway-replayed"]).toBe(again.id);
  },
);
