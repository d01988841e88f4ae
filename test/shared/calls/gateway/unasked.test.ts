/** A model whose provider searches in every request: each answer is held for and charged the fee once, whoever asks. */
import { beforeEach, describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { least, pathOf, type Speech, speeches } from "#test/support/crossed.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { completion, delta, done, frame, streamOf, usageFrame, useScenario } from "#test/support/scenario.ts";
import type { Json } from "#test/support/vendor-answers.ts";

const model = "openai/gpt-5-search-api";
const scenario = useScenario();

beforeEach(() => {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as { providers: Json; models: object[] };
  const own = catalogFile.models.find(({ id }) => id === model);
  const provider = { ...catalogFile.providers["openai-chat"], protocols: { openai: url } };
  const plain = {
    ...own,
    id: "test/plain-of-23-letter",
    aliases: [],
    price: { ...own?.price, rates: undefined },
  };
  scenario.memory = createMemory({
    ...catalog,
    providers: { ...catalog.providers, "openai-chat": provider },
    models: JSON.parse(JSON.stringify([...catalog.models, own, plain])) as unknown[],
  });
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

const ask = (client: Speech, body: Json = {}, stream = false, name = model) =>
  call(scenario.serve, pathOf(client, name, stream), {
    headers: { ...scenario.bearer(), "content-type": "application/json" },
    body: {
      ...(client !== "gemini" && { model: name, ...(stream && { stream }) }),
      ...least[client],
      ...body,
    },
  });
const event = () => scenario.memory.events.at(-1);
const citing = { type: "url_citation", url_citation: { url: "https://a.example", title: "A" } };
const ended = frame({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const [choice] = completion.choices;
const cited = {
  ...completion,
  choices: [{ ...choice, message: { ...choice?.message, annotations: [citing] } }],
};

describe("an answer is charged the fee once", () => {
  // 10 × 1.25 + 4 × 10 points a million, and 0.01.
  const billed = { cost_points: "0.0100525", calls: 1, flags: [] };

  test.each(speeches)("for a client of %s, whole and streamed", async (client) => {
    for (const stream of [false, true]) {
      if (stream) scenario.upstream.on(streamOf(delta("Hi"), ended, usageFrame, done));
      else scenario.upstream.json(completion);
      const answer = await ask(client, {}, stream);
      expect([answer.status, answer.status === 200 ? "" : answer.text]).toEqual([200, ""]);
      expect(event()).toMatchObject({ ...billed, usage: { details: { calls: { web_search: 1 } } } });
    }
  });

  test("where the answer shows its search, and the client asked for it", async () => {
    scenario.upstream.json(cited);
    for (const more of [{}, { web_search_options: { search_context_size: "high" } }]) {
      await ask("openai", more);
      expect(event()).toMatchObject(billed);
    }
  });

  test("where nothing was reported, and it is estimated", async () => {
    scenario.upstream.json({ ...completion, usage: undefined });
    await ask("openai");
    expect(Number(event()?.cost_points)).toBeGreaterThan(0.01);
    expect(event()).toMatchObject({
      evidence: "estimated",
      usage: { details: { calls: { web_search: 1 } } },
    });
  });
});

test("an answer that is free has no fee", async () => {
  scenario.upstream.on((_, response) => response.writeHead(400).end('{"error":{"message":"no"}}'));
  await ask("openai");
  expect(event()).toMatchObject({ cost_points: "0", list_points: "0", calls: 0 });
  expect(event()?.usage.details).toBeUndefined();
});

test("the fee is held once before the call, whether the client asks for a search or not", async () => {
  scenario.upstream.json(completion);
  await ask("openai", {}, false, "test/plain-of-23-letter");
  await ask("openai");
  await ask("openai", { web_search_options: {} });
  const [plain = 0n, unasked = 0n, asked = 0n] = scenario.memory.holds.map(({ points }) => points);
  expect(unasked - plain).toBe(parsePoints("0.01"));
  // What a search finds may fill the context, so a client that asks for it is held for more input.
  expect(asked).toBeGreaterThanOrEqual(unasked);
  expect(scenario.memory.intents[1]?.price.price).toMatchObject({
    rates: { unasked: { web_search: "0.01" } },
  });
});
