/** Races in calls that name other models: each model's late stream is raced, and the call is billed once. */
import type { ServerResponse } from "node:http";
import { beforeEach, expect, test } from "vitest";
import { subscription, useFallbacks } from "#test/support/fallback.ts";
import { chatBody, delta, done, sse, usageFrame } from "#test/support/scenario.ts";

const world = useFallbacks();
const body = { ...chatBody, stream: true };
/** `test/model-1` is asked at one and then two, `test/dear-1` at three and then two. */
const headers = { "x-gateway-route": "order=one,three,two", "x-gateway-explain": "1" };
let oneAsked: PromiseWithResolvers<ServerResponse>;
let threeAsked: PromiseWithResolvers<ServerResponse>;
let threeClosed: PromiseWithResolvers<void>;

beforeEach(() => {
  world.sell(({ models, ...catalog }) => {
    const channels = [
      ["one", "two"],
      ["three", "two"],
    ].map((names, at) => names.map((provider) => ({ provider, model: `upstream-${at}` })));
    const routed = models.map((model, at) =>
      at < 2 ? { ...model, channels: channels[at], routing: { first_byte_ms: 100 } } : model,
    );
    return { ...catalog, models: routed };
  });
  world.key = world.memory.addKey({ mode: "subscription" }, { subscription: subscription() });
  oneAsked = Promise.withResolvers();
  threeAsked = Promise.withResolvers();
  threeClosed = Promise.withResolvers();
  world.upstreams.one.on((_, response) => oneAsked.resolve(response));
  world.upstreams.three.on((_, response) => {
    response.on("close", threeClosed.resolve);
    threeAsked.resolve(response);
  });
});

/** Two fails for the first model, and then one does too. For the other model it answers, or three fails after it. */
function twoAnswers(status: number): void {
  world.upstreams.two.on(async (_, response) => {
    const sent = world.upstreams.two.requests.at(-1)?.body.toString() ?? "{}";
    const isFirst = (JSON.parse(sent) as { model: string }).model === "upstream-0";
    if (isFirst) response.writeHead(503).end("{}");
    else if (status === 200) response.writeHead(200, sse).end(delta("Hi") + usageFrame + done);
    else response.writeHead(status).end("{}");
    const late = isFirst ? oneAsked : threeAsked;
    if (isFirst || status !== 200) setTimeout(async () => (await late.promise).destroy(), 20);
  });
}
const logged = (name: string) => world.memory.logs.filter(({ event }) => event === name);

test("a race that both lose is followed by the fallback, whose own race is won", async () => {
  twoAnswers(200);
  const reply = await world.chat("test/dear-1", { headers, body });
  expect([reply.status, reply.text.includes("Hi")]).toEqual([200, true]);
  expect(reply.headers).toMatchObject({
    "x-gateway-model": "test/dear-1",
    "x-gateway-provider": "two",
    "x-gateway-attempts": "4",
    "x-gateway-route": "smart; via=two; why=race; of=2",
  });
  const explained = JSON.parse(reply.headers["x-gateway-explanation"] ?? "{}") as { channels: object[] };
  expect(explained.channels).toMatchObject([{ provider: "three" }, { provider: "two" }]);
  await threeClosed.promise;
  const { holds, events, settled, direct } = world.memory;
  expect([holds.length, events.length, settled.length, direct.length]).toEqual([1, 1, 1, 0]);
  expect(events[0]).toMatchObject({
    model: "test/dear-1",
    requested_model: "test/model-1",
    outcome: "completed",
  });
  expect(
    events[0]?.route?.attempts.map(({ model, provider, outcome }) => [model, provider, outcome]),
  ).toEqual([
    ["test/model-1", "two", "fault"],
    ["test/model-1", "one", "fault"],
    [undefined, "three", "lost"],
    [undefined, "two", "answered"],
  ]);
  const numbered = (name: string) =>
    logged(name).map(({ fields }) => [fields.attempts, fields.model, fields.provider]);
  expect(numbered("upstream_failed")).toEqual([
    [1, "test/model-1", "two"],
    [2, "test/model-1", "one"],
  ]);
  expect(numbered("race_lost")).toEqual([[3, "test/dear-1", "three"]]);
  expect([logged("call_failed").length, logged("race_not_sent").length]).toEqual([0, 0]);
});

test.each([
  [503, "fault"],
  [400, "blamed"],
])(
  "where the fallback's race ends with %d too, the call is free and has the first model's error",
  async (status, outcome) => {
    twoAnswers(status);
    const reply = await world.chat("test/dear-1", { headers, body });
    expect(reply.status).toBe(500);
    expect(reply.headers).toMatchObject({ "x-gateway-model": "test/dear-1", "x-gateway-attempts": "4" });
    const { holds, events, settled } = world.memory;
    expect([holds.length, events.length, settled.length]).toEqual([1, 1, 1]);
    expect(events[0]).toMatchObject({ model: "test/model-1", outcome: "failed", calls: 0, cost_points: "0" });
    expect(events[0]).not.toHaveProperty("requested_model");
    expect(
      events[0]?.route?.attempts.map(({ model, provider, outcome }) => [model, provider, outcome]),
    ).toEqual([
      [undefined, "two", "fault"],
      [undefined, "one", "fault"],
      ["test/dear-1", "two", outcome],
      ["test/dear-1", "three", "fault"],
    ]);
    expect(settled[0]?.settlement.giveBack).toBe(true);
    expect([logged("call_failed").length, logged("race_lost").length]).toEqual([1, 0]);
  },
);
