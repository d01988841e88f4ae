/** xAI's pictures, by the default catalog: each picture of an answer is charged, on OpenAI's route. */
import { beforeEach, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { useScenario } from "#test/support/scenario.ts";
import type { Json } from "#test/support/vendor-answers.ts";

const model = "xai/grok-imagine-image";
const scenario = useScenario();

beforeEach(() => {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as { providers: Json; models: unknown[] };
  const xai = { ...catalogFile.providers.xai, protocols: { openai: `${url}/v1`, responses: `${url}/v1` } };
  const models = [...catalog.models, catalogFile.models.find(({ id }) => id === model)];
  scenario.memory = createMemory({ ...catalog, providers: { ...catalog.providers, xai }, models });
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

const draw = (body: Json) =>
  call(scenario.serve, "/v1/images/generations", {
    headers: { ...scenario.bearer(), "content-type": "application/json" },
    body: { model, prompt: "a cat", ...body },
  });

test.each([
  [1, "0.02"],
  [3, "0.06"],
])("%i pictures cost %s, and are held for", async (n, points) => {
  const data = Array.from({ length: n }, () => ({
    url: "https://imgen.x.ai/a.jpeg",
    mime_type: "image/jpeg",
  }));
  scenario.upstream.json({ data, usage: { cost_in_usd_ticks: n * 200_000_000 } });
  const answer = await draw({ n, resolution: "2k", aspect_ratio: "16:9" });
  expect((answer.json().data as unknown[]).length).toBe(n);
  expect(scenario.memory.holds[0]?.points).toBe(parsePoints(points));
  const [event] = scenario.memory.events;
  expect([event?.cost_points, event?.usage.generated_images, event?.flags]).toEqual([points, n, []]);
  const sent = JSON.parse(scenario.upstream.requests[0]?.body.toString() ?? "null") as Json;
  expect(sent).toMatchObject({ model: "grok-imagine-image", resolution: "2k", aspect_ratio: "16:9" });
});

test("a picture that xAI refuses costs nothing", async () => {
  scenario.upstream.on((_, response) =>
    response
      .writeHead(400)
      .end('{"code":"invalid-argument","error":"Generated image rejected by moderation."}'),
  );
  expect((await draw({})).status).toBe(400);
  expect(scenario.memory.events[0]).toMatchObject({ cost_points: "0", calls: 0 });
});
