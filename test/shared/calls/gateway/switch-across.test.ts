/**
 * Calls that reach a provider of another protocol: what it may report unasked is held for, and what
 * crosses has a price.
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { createMemory } from "#test/support/memory.ts";
import { flat } from "#test/support/prices.ts";
import { useScenario } from "#test/support/scenario.ts";
import { bare, switchCatalog, switchOn, type Way } from "#test/support/switches.ts";

const heard = "test/heard";
const scenario = useScenario();
beforeEach(() => {
  const { url } = scenario.upstream;
  const catalog = switchCatalog(url) as { providers: object; models: { id: string }[] };
  const plain = catalog.models.find(({ id }) => id === bare);
  const rates = { audio_input: "40", audio_cache_read: "60", image_output: "80" };
  const google = { protocols: { gemini: url }, secret: "TEST_API_KEY" };
  const channels = [{ provider: "google", model: "upstream-model" }];
  // It speaks every protocol, and takes no connection: what it leaves goes across.
  const nowhere = "http://127.0.0.1:9";
  const down = {
    protocols: { openai: nowhere, responses: nowhere, anthropic: nowhere },
    secret: "TEST_API_KEY",
  };
  const models = [
    ...catalog.models,
    { ...plain, id: heard, price: { ...flat, rates }, channels },
    { ...plain, id: "test/deaf", channels },
    {
      ...plain,
      id: "test/either",
      price: { ...flat, rates },
      channels: [{ provider: "down", model: "upstream-model" }, ...channels],
    },
  ];
  scenario.memory = createMemory({ ...catalog, providers: { ...catalog.providers, google, down }, models });
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

const tokens = (modality: string, tokenCount: number) => [{ modality, tokenCount }];

/** What Google says of the dearest answer: sound that fills the context, cached or not, or a picture. */
const told = {
  audio_input: { promptTokenCount: 200_000, promptTokensDetails: tokens("AUDIO", 200_000) },
  audio_cache_read: {
    promptTokenCount: 200_000,
    promptTokensDetails: tokens("AUDIO", 200_000),
    cachedContentTokenCount: 200_000,
    cacheTokensDetails: tokens("AUDIO", 200_000),
  },
  image_output: { promptTokenCount: 10, candidatesTokensDetails: tokens("IMAGE", 100) },
};
const reply = (kind: keyof typeof told) => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  usageMetadata: { candidatesTokenCount: 100, ...told[kind] },
});

const said = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const clip = { type: "file", file: { file_data: "data:video/mp4;base64,AAAA", filename: "a.mp4" } };
const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
const input = (part: object) => ({ input: [{ type: "message", role: "user", content: [part] }] });

const cases: [way: Way, change: object, kind: keyof typeof told][] = [
  ["chat", said(sound), "audio_input"],
  ["chat", said(sound), "audio_cache_read"],
  ["chat", said(clip), "audio_input"],
  ["responses", input(sound), "audio_input"],
  ["chat", { max_tokens: 100 }, "image_output"],
  ["anthropic", {}, "image_output"],
];

describe("the hold of a call that crosses covers", () => {
  const everywhere = [heard, "test/either"].flatMap((model) =>
    cases.map(([way, change, kind]) => [kind, way, model, change] as const),
  );
  test.each(everywhere)("%s of %s by %s", async (kind, way, model, change) => {
    scenario.upstream.json(reply(kind));
    expect((await switchOn(scenario, way, model, change)).status).toBe(200);
    const [event] = scenario.memory.events;
    expect(event?.usage.details?.tokens).toHaveProperty(kind);
    expect(event?.flags).toEqual([]);
  });
});

test("sound that crosses is refused without a rate", async () => {
  const { status, text } = await switchOn(scenario, "responses", "test/deaf", input(sound));
  expect([status, text]).toEqual([400, expect.stringContaining("no price for")]);
});
