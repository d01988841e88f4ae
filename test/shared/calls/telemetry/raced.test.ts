/** The spans of a stream that was raced. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Collector, startCollector, tellTo } from "#test/support/collector.ts";
import { useRacing } from "#test/support/racing.ts";

const ways = useRacing();
let collector: Collector;

beforeAll(async () => {
  collector = await startCollector();
});
afterAll(() => collector.stop());

test("the channel that lost has a span without usage, which is no error", async () => {
  ways.memory.deps.tracing = Promise.resolve(tellTo(collector.url).tracing);
  const north = ways.silent("north");
  await ways.stream();
  await north.closed;
  const attempts = collector.spans().filter(({ kind }) => kind === 3);
  const of = (provider: string) =>
    attempts.find(({ attributes }) => attributes["gen_ai.provider.name"] === provider);
  expect(attempts).toHaveLength(2);
  expect([of("north")?.failed, of("south")?.failed]).toEqual([false, false]);
  expect(of("north")?.attributes).toMatchObject({ "model_gateway.attempt.outcome": "lost" });
  expect(of("north")?.attributes).not.toHaveProperty("error.type");
  expect(of("north")?.attributes).not.toHaveProperty("gen_ai.usage.output_tokens");
  expect(of("south")?.attributes).toMatchObject({ "gen_ai.usage.output_tokens": 4 });
});
