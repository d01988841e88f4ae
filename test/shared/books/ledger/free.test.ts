/**
 * When an answer is free: only if the provider put nothing out, reported no output tokens, and gave no finish reason
 * or an error as one. Embeddings and images are free only on an error. Everything else is billed as reported.
 */
import { describe, expect, test } from "vitest";
import { noUsage } from "#shared/books/billing/usage.ts";
import { isFree } from "#shared/books/ledger/free.ts";
import { call } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  frame,
  messagesBody,
  namedFrame,
  streamOf,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();
const model = "test/model-1";
const contents = { contents: [{ parts: [{ text: "Hello" }] }] };
const generate = `/api/v1beta/models/${model}:generateContent`;
const stream = `/api/v1beta/models/${model}:streamGenerateContent?alt=sse`;
const input = { model, input: "Hello" };
const send = (path: string, body: object) => call(scenario.serve, path, { headers: scenario.bearer(), body });

const reported = { input_tokens: 900, output_tokens: 0 };
const charged = { calls: 1, evidence: "reported", outcome: "completed", usage: reported };
const free = { calls: 0, cost_points: "0", list_points: "0", outcome: "completed", flags: ["empty"] };

test.each([
  ["chat", false, 0, "none", true],
  ["chat", false, 0, "error", true],
  ["chat", false, 0, "reason", false],
  ["chat", false, 1, "none", false],
  ["chat", false, 1, "error", false],
  ["chat", true, 0, "none", false],
  ["embedding", false, 0, "none", false],
  ["embedding", true, 0, "error", true],
  ["image", false, 0, "none", false],
  ["image", false, 0, "error", true],
] as const)(
  "%s, put out: %s, output tokens: %i, finish: %s → free: %s",
  (kind, produced, tokens, finish, is) => {
    const usage = { ...noUsage, input_tokens: 5, output_tokens: tokens };
    expect(isFree(kind, { usage, produced, finish })).toBe(is);
    if (tokens === 0) expect(isFree(kind, { usage: undefined, produced, finish })).toBe(is);
  },
);

/** Answers without a word, by path: whole, and as the frames of a stream. `end` is the finish reason. */
const silent: Record<string, (end: unknown) => { whole: object; body: object; frames: string[] }> = {
  [chatPath]: (end) => {
    const usage = { prompt_tokens: 900, completion_tokens: 0 };
    const choice = { index: 0, finish_reason: end };
    return {
      whole: { choices: [{ ...choice, message: { role: "assistant", content: "" } }], usage },
      body: chatBody,
      frames: [
        frame({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }),
        frame({ choices: [{ ...choice, delta: {} }] }),
        frame({ choices: [], usage }),
        frame("[DONE]"),
      ],
    };
  },
  "/v1/messages": (end) => {
    const message = { type: "message", role: "assistant", content: [] };
    const usage = { input_tokens: 900, output_tokens: 0 };
    return {
      whole: { ...message, stop_reason: end, usage },
      body: messagesBody,
      frames: [
        namedFrame({ type: "message_start", message: { ...message, usage } } as never),
        namedFrame({ type: "message_delta", delta: { stop_reason: end }, usage } as never),
        namedFrame({ type: "message_stop" }),
      ],
    };
  },
  [generate]: (end) => {
    const usageMetadata = { promptTokenCount: 900, totalTokenCount: 900 };
    const whole = { candidates: [{ index: 0, finishReason: end }], usageMetadata };
    return { whole, body: contents, frames: [frame(whole)] };
  },
};

const ends = {
  [chatPath]: ["stop", "content_filter", "length"],
  "/v1/messages": ["stop_sequence", "end_turn", "refusal"],
  [generate]: ["STOP", "SAFETY", "MALFORMED_FUNCTION_CALL"],
};
const rows = Object.entries(ends).flatMap(([path, reasons]) => reasons.map((end) => [path, end] as const));

describe("an answer without a word that has ended is billed as reported, and takes its call", () => {
  test.each(rows)("%s whole, ended by %s", async (path, end) => {
    const { whole, body } = silent[path]?.(end) ?? { whole: {}, body: {} };
    scenario.upstream.json(whole);
    const reply = await send(path, body);
    expect(scenario.memory.events).toMatchObject([{ ...charged, cost_points: "0.00225" }]);
    expect(reply.headers["x-gateway-cost-points"]).toBe("0.00225");
    expect(scenario.memory.settled[0]?.settlement).toMatchObject({ giveBack: false, tokens: 900 });
  });

  test.each(rows)("%s streamed, ended by %s", async (path, end) => {
    const { frames, body } = silent[path]?.(end) ?? { frames: [], body: {} };
    scenario.upstream.on(streamOf(...frames));
    await send(path === generate ? stream : path, path === generate ? body : { ...body, stream: true });
    expect(scenario.memory.events).toMatchObject([{ ...charged, cost_points: "0.00225" }]);
  });

  test.each([["completed"], ["incomplete"]])("Responses, %s", async (status) => {
    const response = { status, output: [], usage: { ...reported, total_tokens: 900 } };
    scenario.upstream.json(response);
    await send("/v1/responses", input);
    scenario.upstream.on(streamOf(frame({ type: `response.${status}`, response })));
    await send("/v1/responses", { ...input, stream: true });
    expect(scenario.memory.events).toMatchObject([charged, charged]);
  });

  test("a prompt that Google blocks: it answers with 200 and counts the prompt", async () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 900 } };
    scenario.upstream.json(blocked);
    await send(generate, contents);
    scenario.upstream.on(streamOf(frame(blocked)));
    await send(stream, contents);
    expect(scenario.memory.events).toMatchObject([charged, charged]);
  });

  test("what was written to a cache is billed with it", async () => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 100_000, output_tokens: 0 };
    scenario.upstream.json({ type: "message", content: [], stop_reason: "stop_sequence", usage });
    await scenario.message();
    expect(scenario.memory.events).toMatchObject([{ calls: 1, cost_points: "0.312525" }]);
  });

  test("without a usage it is estimated, and flagged", async () => {
    const { whole, body } = silent[chatPath]?.("stop") ?? { whole: {}, body: {} };
    scenario.upstream.json({ ...whole, usage: undefined });
    await send(chatPath, body);
    const [event] = scenario.memory.events;
    expect(event).toMatchObject({ calls: 1, evidence: "estimated", flags: ["no_usage"] });
    expect(event?.usage.input_tokens).toBeGreaterThan(0);
    expect(event?.usage.output_tokens).toBe(0);
  });

  test("its repetition is given the same answer", async () => {
    const { whole, body } = silent[chatPath]?.("stop") ?? { whole: {}, body: {} };
    scenario.upstream.json(whole);
    const headers = { ...scenario.bearer(), "idempotency-key": "k" };
    const first = await call(scenario.serve, chatPath, { headers, body });
    const again = await call(scenario.serve, chatPath, { headers, body });
    expect(again.headers["x-gateway-replayed"]).toBe(first.id);
    expect(scenario.memory.events.filter(({ calls }) => calls === 1)).toHaveLength(1);
  });
});

describe("without a word and without an end it is free", () => {
  test.each([
    [chatPath, null],
    [chatPath, ""],
    [chatPath, "error"],
    [chatPath, "network_error"],
    ["/v1/messages", null],
    [generate, undefined],
  ])("%s whole, with %s for an end", async (path, end) => {
    const { whole, body } = silent[path]?.(end) ?? { whole: {}, body: {} };
    scenario.upstream.json(whole);
    await send(path, body);
    expect(scenario.memory.events).toMatchObject([free]);
    expect(scenario.memory.settled[0]?.settlement).toMatchObject({ points: 0n, giveBack: true });
  });

  test.each([[null], ["error"]])("an OpenAI stream that ends with %s", async (end) => {
    scenario.upstream.on(streamOf(...(silent[chatPath]?.(end).frames ?? [])));
    await send(chatPath, { ...chatBody, stream: true });
    expect(scenario.memory.events).toMatchObject([free]);
  });

  test("unless output tokens are reported", async () => {
    const usage = { prompt_tokens: 900, completion_tokens: 7 };
    scenario.upstream.json({ ...silent[chatPath]?.(null).whole, usage });
    await scenario.chat();
    expect(scenario.memory.events).toMatchObject([{ calls: 1, usage: { output_tokens: 7 } }]);
  });

  test("a stream that breaks off before its first word", async () => {
    const [opening = ""] = silent[chatPath]?.("stop").frames ?? [];
    scenario.upstream.on(streamOf(opening));
    await send(chatPath, { ...chatBody, stream: true });
    expect(scenario.memory.events).toMatchObject([{ calls: 0, cost_points: "0", outcome: "failed" }]);
  });

  test("one that breaks off behind its end is billed for it", async () => {
    const frames = silent[chatPath]?.("stop").frames ?? [];
    scenario.upstream.on(streamOf(...frames.slice(0, 2)));
    await send(chatPath, { ...chatBody, stream: true });
    expect(scenario.memory.events).toMatchObject([{ calls: 1, outcome: "truncated", evidence: "estimated" }]);
  });
});

describe("embeddings", () => {
  const body = { model: "test/embedding-1", input: "x" };

  test("without a vector cost their reported input", async () => {
    scenario.upstream.json({ object: "list", data: [], usage: { prompt_tokens: 1000 } });
    await send("/v1/embeddings", body);
    expect(scenario.memory.events).toMatchObject([{ calls: 1, cost_points: "0.0001", evidence: "reported" }]);
  });

  test.each([[{}], [{ error: { message: "no" } }]])("%j is no answer, and free", async (answer) => {
    scenario.upstream.json(answer);
    expect((await send("/v1/embeddings", body)).status).toBe(500);
    expect(scenario.memory.events).toMatchObject([{ calls: 0, cost_points: "0", outcome: "failed" }]);
  });
});

describe("images", () => {
  const ask = (answer: object) => {
    scenario.upstream.json(answer);
    return send("/v1/images/generations", { model: "test/image-1", prompt: "x" });
  };
  const broken = { error: { code: "OutputImageSensitiveContentDetected", message: "no" } };

  test("none at all, and no error, takes its call", async () => {
    await ask({ data: [] });
    expect(scenario.memory.events).toMatchObject([{ calls: 1, cost_points: "0" }]);
  });

  test("where each one failed the answer is free", async () => {
    expect((await ask({ data: [broken] })).status).toBe(200);
    expect(scenario.memory.events).toMatchObject([{ calls: 0, cost_points: "0" }]);
  });

  test("where one of two failed the other is billed", async () => {
    await ask({ data: [broken, { url: "a" }] });
    expect(scenario.memory.events).toMatchObject([{ calls: 1, usage: { generated_images: 1 } }]);
  });
});
