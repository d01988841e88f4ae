/** What providers say of what was switched on, whole and streamed: lines, points, and what a receipt shows of them. */
import { beforeEach, describe, expect, test } from "vitest";
import type { UsageDetails } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { settledReceipt } from "#shared/books/reports/receipt.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMemory } from "#test/support/memory.ts";
import { completion, done, frame, namedFrame, streamOf, useScenario } from "#test/support/scenario.ts";
import { bare, priced, switchCatalog, switchOn, type Way } from "#test/support/switches.ts";

const scenario = useScenario();
beforeEach(() => {
  scenario.memory = createMemory(switchCatalog(scenario.upstream.url));
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

interface Case {
  way: Way;
  /** What the request switches on. */
  change: object;
  /** The provider's whole reply, and the frames of the same answer. */
  whole: object;
  frames: string[];
  details: UsageDetails;
  points: string;
}

const chatUsage = {
  prompt_tokens: 1000,
  completion_tokens: 500,
  prompt_tokens_details: { cached_tokens: 200, audio_tokens: 100, audio_cached_tokens: 20 },
  completion_tokens_details: { audio_tokens: 50 },
};
const chatTold = { service_tier: "priority", usage: chatUsage };
const cites = { annotations: [{ type: "url_citation", url_citation: { url: "https://a.example" } }] };
const [choice] = completion.choices;
const chatChoice = (message: object) => ({ ...choice, message: { ...choice?.message, ...message } });
const chatDelta = (delta: object, more: object = {}) =>
  frame({ id: "c", choices: [{ index: 0, delta, finish_reason: null }], ...more });

const messageUsage = {
  input_tokens: 1000,
  output_tokens: 500,
  cache_creation_input_tokens: 300,
  cache_read_input_tokens: 2000,
  cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
  server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 },
  service_tier: "standard",
  speed: "fast",
  inference_geo: "us",
};
const message = { id: "m", type: "message", role: "assistant", model: "x", stop_reason: "end_turn" };
const container = { container: { id: "container_1", expires_at: "2026-11-22T10:00:00Z" } };

const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  service_tier: "flex",
  output: [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "a" } },
    {
      type: "web_search_call",
      id: "ws_2",
      status: "completed",
      action: { type: "open_page", url: "https://a.example" },
    },
    { type: "code_interpreter_call", id: "ci_1", status: "completed", container_id: "cntr_1" },
    { type: "code_interpreter_call", id: "ci_2", status: "completed", container_id: "cntr_1" },
    { type: "image_generation_call", id: "ig_1", status: "completed", result: "AAAA" },
    { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hi" }] },
  ],
  usage: {
    input_tokens: 1000,
    input_tokens_details: {
      cached_tokens: 0,
      cache_write_tokens: 300,
      cache_write_tokens_details: { ttl_12h_tokens: 100 },
    },
    output_tokens: 500,
  },
};

const geminiUsage = {
  promptTokenCount: 1000,
  cachedContentTokenCount: 200,
  candidatesTokenCount: 500,
  promptTokensDetails: [
    { modality: "TEXT", tokenCount: 900 },
    { modality: "AUDIO", tokenCount: 100 },
  ],
  cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 20 }],
  candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 50 }],
  trafficType: "ON_DEMAND_PRIORITY",
};
const grounding = { groundingMetadata: { webSearchQueries: ["a", "b", "a", ""] } };
const candidate = (more: object) => ({
  index: 0,
  content: { role: "model", parts: [{ text: "Hi" }] },
  ...more,
});

const cases: Case[] = [
  {
    way: "chat",
    change: { service_tier: "auto", web_search_options: {}, modalities: ["text", "audio"] },
    whole: { ...completion, choices: [chatChoice(cites)], ...chatTold },
    frames: [
      chatDelta({ content: "Hi" }),
      chatDelta(cites),
      chatDelta({ content: "!" }),
      frame({ id: "c", choices: [], ...chatTold }),
      done,
    ],
    details: {
      service_tier: "priority",
      tokens: { audio_input: 80, audio_cache_read: 20, audio_output: 50 },
      calls: { web_search: 1 },
    },
    // (720 × 2.5 + 80 × 40 + 180 × 0.25 + 20 × 2.5 + 450 × 10 + 50 × 80) × 2 by the million, and a search.
    points: "0.03719",
  },
  {
    way: "anthropic",
    change: {
      speed: "fast",
      inference_geo: "us",
      cache_control: { type: "ephemeral", ttl: "1h" },
      tools: [
        { type: "web_search_20250305", name: "web_search" },
        { type: "code_execution_20250825", name: "code_execution" },
      ],
    },
    whole: { ...message, content: [{ type: "text", text: "Hi" }], usage: messageUsage, ...container },
    frames: [
      namedFrame({
        type: "message_start",
        message: {
          ...message,
          content: [],
          usage: { ...messageUsage, output_tokens: 1, server_tool_use: null },
        },
      } as never),
      namedFrame({
        type: "content_block_start",
        index: 0,
        content_block: { type: "text", text: "" },
      } as never),
      namedFrame({
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text: "Hi" },
      } as never),
      namedFrame({
        type: "message_delta",
        delta: { stop_reason: "end_turn", ...container },
        usage: { output_tokens: 500, server_tool_use: messageUsage.server_tool_use },
      } as never),
      namedFrame({ type: "message_stop" }),
    ],
    details: {
      speed: "fast",
      inference_geo: "us",
      tokens: { cache_write_1h: 200 },
      calls: { web_search: 3, code_execution: 1 },
    },
    // (1000 × 2.5 + 500 × 10 + 2000 × 0.25 + 100 × 3.125 + 200 × 5) × 6 × 1.1 by the million, searches and a container.
    points: "0.1414625",
  },
  {
    way: "responses",
    change: {
      service_tier: "flex",
      prompt_cache_options: { ttl: "12h" },
      tools: [
        { type: "web_search" },
        { type: "code_interpreter", container: { type: "auto" } },
        { type: "image_generation" },
      ],
    },
    whole: response,
    frames: [
      namedFrame({ type: "response.created", response: { id: "resp_1", status: "in_progress" } } as never),
      namedFrame({ type: "response.output_text.delta", delta: "Hi" } as never),
      namedFrame({ type: "response.completed", response } as never),
    ],
    details: {
      service_tier: "flex",
      tokens: { cache_write_12h: 100 },
      calls: { web_search: 1, code_interpreter: 1, image_generation: 1 },
    },
    // 700 × 1.25 + 200 × 3.125 + 100 × 4 + 500 × 5 by the million; 0.01 + 0.03 + 0.25.
    points: "0.2944",
  },
  {
    way: "gemini",
    change: {
      serviceTier: "priority",
      tools: [{ googleSearch: {} }],
      generationConfig: { responseModalities: ["TEXT", "IMAGE"] },
    },
    whole: { candidates: [candidate({ finishReason: "STOP", ...grounding })], usageMetadata: geminiUsage },
    frames: [
      frame({ candidates: [candidate({})], usageMetadata: { promptTokenCount: 1000 } }),
      frame({ candidates: [candidate(grounding)], usageMetadata: { promptTokenCount: 1000 } }),
      frame({ candidates: [candidate({ finishReason: "STOP" })], usageMetadata: geminiUsage }),
    ],
    details: {
      service_tier: "priority",
      tokens: { audio_input: 80, audio_cache_read: 20, image_output: 50 },
      calls: { google_search: 2 },
    },
    // (720 × 2.5 + 80 × 40 + 180 × 0.25 + 20 × 2.5 + 450 × 10 + 50 × 30) × 2 by the million, and one grounded request.
    points: "0.05719",
  },
];

const event = () => scenario.memory.events[0] as UsageEvent;
const receipt = () =>
  settledReceipt([
    {
      id: event().id,
      kind: "usage",
      organization: "o",
      debit: "d",
      credit: "c",
      points: event().cost_points,
      at: 0,
      event: event(),
    },
  ]) as { lines: { dimension: string; points: string }[]; list_points: string; price: { rates: object } };

const sent = (reply: { status: number; text: string }) =>
  expect([reply.status, reply.text.slice(0, 200)]).toMatchObject([200, expect.anything()]);

describe.each(cases)("$way", ({ way, change, whole, frames, details, points }) => {
  test.each(["whole", "streamed"])("%s: what is told is charged, line by line", async (form) => {
    if (form === "whole") scenario.upstream.json(whole);
    else scenario.upstream.on(streamOf(...frames));
    sent(await switchOn(scenario, way, priced, change, form === "streamed"));
    expect(event().usage.details).toEqual(details);
    expect(event()).toMatchObject({ cost_points: points, list_points: points, flags: [] });
    const { lines, price } = receipt();
    expect(lines.reduce((sum, line) => sum + Number(line.points), 0)).toBeCloseTo(Number(points), 12);
    for (const part of Object.keys(details.tokens ?? {}))
      expect(lines.map(({ dimension }) => dimension)).toContain(`${part}_tokens`);
    for (const tool of Object.keys(details.calls ?? {}))
      expect(lines.map(({ dimension }) => dimension)).toContain(`${tool}_calls`);
    // The event carries the rates that it was charged by, and no others.
    const { tokens = {}, calls: _, ...taken } = details;
    const used = [...Object.keys(tokens), ...Object.keys(taken), "tools", "tools_once"];
    expect(used).toEqual(expect.arrayContaining(Object.keys(price.rates)));
  });

  test("what a model has no rate for is charged at its price, and rung", async () => {
    scenario.upstream.json(whole);
    sent(await switchOn(scenario, way, bare, {}));
    expect(event().flags).toContain("unpriced_switch");
    const counted = Object.entries(event().usage).filter(([name]) => name !== "details");
    const flat = { input_tokens: 2.5, output_tokens: 10, cache_read_tokens: 0.25, cache_write_tokens: 3.125 };
    const expected = counted.reduce(
      (sum, [name, count]) => sum + (count as number) * (flat[name as keyof typeof flat] ?? 0),
      0,
    );
    expect(Number(event().cost_points)).toBeCloseTo(expected / 1e6, 12);
  });
});

describe("names that a provider makes up", () => {
  test.each([
    ["half of a pair", "\ud800"],
    ["a control character", "a\0b"],
    ["a text larger than a message of the queue", "É".repeat(300_000)],
  ])("are kept plain and short, so that tables and queue take them: %s", async (_, service_tier) => {
    scenario.upstream.on((_request, answer) => {
      answer.writeHead(200, { "content-type": "application/json" });
      answer.end(JSON.stringify({ ...completion, service_tier }));
    });
    await switchOn(scenario, "chat", priced);
    const [event] = scenario.memory.events as UsageEvent[];
    expect(event?.usage.details?.service_tier).toMatch(/^[a-z0-9_.-]{1,64}$/);
    expect(event?.flags).toContain("unpriced_switch");
  });

  test("are few, however many tools it counts", async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => [`tool ${index} \ud800`, 1]);
    const reply = { data: [{ b64_json: "AAAA" }], usage: { tool_usage: Object.fromEntries(names) } };
    scenario.upstream.on((_request, answer) => {
      answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
    });
    await switchOn(scenario, "images", "test/drawn");
    const calls = Object.keys(scenario.memory.events[0]?.usage.details?.calls ?? {});
    expect(calls).toHaveLength(32);
    expect(calls.every((name) => /^[a-z0-9_.-]{1,64}$/.test(name))).toBe(true);
  });
});
