/** Streams of pictures: every byte as it came, held for the most that was asked for, charged for what came. */
import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory } from "#test/support/memory.ts";
import { mutated } from "#test/support/mutation.ts";
import { done, drawn, given, lost, made, preview, sequence } from "#test/support/picture-events.ts";
import { frame, namedFrame, sse, streamOf, useScenario } from "#test/support/scenario.ts";
import { surfacesCatalog } from "#test/support/surfaces.ts";

const scenario = useScenario();
beforeEach(() => {
  scenario.memory = createMemory(surfacesCatalog(scenario.upstream.url));
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
});

type Json = Record<string, unknown>;

const paths = { openai: "/v1/images/generations", ark: "/api/v3/images/generations" } as const;
type Form = keyof typeof paths;
const send = (form: Form, asked: Json = {}, headers = {}) =>
  call(scenario.serve, paths[form], {
    headers: { ...scenario.bearer(), ...headers },
    body: { model: `${form}/image`, prompt: "A cat", stream: true, ...asked },
  });
const event = () => scenario.memory.events[0];
const held = () => scenario.memory.holds.map(({ points }) => points);

/** 0.2 points a picture at a discount of 0.95. */
const costOf = (pictures: number) => ["0", "0.19", "0.38", "0.57"][pictures];
const onePicture = 190_000_000_000_000_000n;

describe("every byte leaves as it came, and what came is charged", () => {
  const streams: [name: string, form: Form, asked: Json, frames: string[], pictures: number][] = [
    ["OpenAI's one", "openai", {}, [preview, preview, drawn], 1],
    ["OpenAI's two", "openai", { n: 2 }, [preview, drawn, preview, drawn], 2],
    ["OpenAI's, of which one is missing", "openai", { n: 2 }, [drawn], 1],
    ["OpenAI's with a last word", "openai", {}, [drawn, done], 1],
    ["Ark's one", "ark", {}, [given(0), made(1), done], 1],
    ["Ark's sequence", "ark", sequence(3), [given(0), lost(1), given(2), made(2), done], 2],
    ["Ark's first failure", "ark", sequence(3), [lost(0), given(1), given(2), made(2), done], 2],
    ["Ark's without a last word", "ark", {}, [given(0), made(1)], 1],
  ];

  test.each(streams)("%s", async (_, form, asked, frames, pictures) => {
    const bytes = Buffer.from(frames.join(""));
    for (const size of [1, 7, bytes.length]) {
      scenario.upstream.on((_, response) => {
        response.writeHead(200, sse);
        for (let from = 0; from < bytes.length; from += size)
          response.write(bytes.subarray(from, from + size));
        response.end();
      });
      const reply = await send(form, asked);
      expect([reply.text, reply.headers["content-type"]]).toEqual([bytes.toString(), "text/event-stream"]);
      expect(scenario.memory.events.at(-1)).toMatchObject({
        kind: "image",
        outcome: "completed",
        evidence: "reported",
        flags: [],
        cost_points: costOf(pictures),
        usage: { generated_images: pictures },
      });
    }
    const most = form === "openai" ? (asked.n ?? 1) : asked.sequential_image_generation ? 3 : 1;
    expect(new Set(held())).toEqual(new Set([BigInt(Number(most)) * onePicture]));
    expect(JSON.parse(String(scenario.upstream.requests[0]?.body))).toMatchObject({ stream: true });
  });
});

/** What a provider does that breaks its stream off. */
const broken =
  (...frames: string[]) =>
  (_: unknown, response: ServerResponse) => {
    response.writeHead(200, sse);
    response.write(frames.join(""), () => response.destroy());
  };

describe("a stream that breaks off", () => {
  test("is charged the pictures that came, as a flagged estimate", async () => {
    scenario.upstream.on(broken(given(0), given(1)));
    const { text } = await send("ark", sequence(3));
    expect(text.startsWith(given(0) + given(1))).toBe(true);
    expect(text.slice((given(0) + given(1)).length)).toContain('"error":{"code":"InternalServiceError"');
    expect(event()).toMatchObject({
      outcome: "truncated",
      evidence: "estimated",
      flags: ["no_usage"],
      calls: 1,
      cost_points: "0.38",
      usage: { generated_images: 2, input_tokens: 0, output_tokens: 0 },
    });
  });

  test("is charged the pictures that OpenAI had completed", async () => {
    scenario.upstream.on(broken(drawn, preview));
    const { text } = await send("openai", { n: 2 });
    expect(text).toContain('"code":"50001"');
    expect(event()).toMatchObject({ outcome: "truncated", evidence: "reported", cost_points: "0.19" });
  });

  test.each([
    ["openai", [preview]],
    ["ark", [lost(0)]],
  ] as const)("is free where no picture had come: %s", async (form, frames) => {
    scenario.upstream.on(broken(...frames));
    const { text } = await send(form, form === "ark" ? sequence(3) : {});
    expect(text).toContain('"error"');
    expect(event()).toMatchObject({ outcome: "failed", calls: 0, cost_points: "0" });
    expect(scenario.memory.settled[0]?.settlement).toMatchObject({ giveBack: true, points: 0n });
  });

  test.each([
    ["openai", [drawn]],
    ["ark", [given(0), made(1)]],
  ] as const)("behind its last event is whole: %s", async (form, frames) => {
    scenario.upstream.on(broken(...frames));
    expect((await send(form)).text).toBe(frames.join(""));
    expect(event()).toMatchObject({ outcome: "completed", evidence: "reported", cost_points: "0.19" });
  });

  test("between events without Ark's last one is no whole answer", async () => {
    scenario.upstream.on(streamOf(given(0)));
    expect((await send("ark")).text).toContain('"InternalServiceError"');
    expect(event()).toMatchObject({ outcome: "truncated", evidence: "estimated", cost_points: "0.19" });
  });
});

describe("what brings no picture", () => {
  test("is free, and leaves as it came", async () => {
    const frames = [lost(0), made(0, { error: { code: "Sensitive", message: "no" } }), done];
    scenario.upstream.on(streamOf(...frames));
    expect((await send("ark")).text).toBe(frames.join(""));
    expect(event()).toMatchObject({ outcome: "completed", flags: ["empty"], calls: 0, cost_points: "0" });
  });

  test.each([
    ["an error", frame({ error: { code: "InternalServiceError", message: "no" } })],
    ["an error event", namedFrame({ type: "error", error: { message: "no" } } as never)],
    ["an end with an error", made(0, { error: { code: "Sensitive", message: "no" } })],
  ])("has failed where its first event is %s", async (_, first) => {
    scenario.upstream.on(streamOf(first));
    const reply = await send("ark");
    expect([reply.status, reply.headers["content-type"]]).toEqual([500, "application/json"]);
    expect(event()).toMatchObject({ outcome: "failed", calls: 0, cost_points: "0" });
  });

  test("is an answer without a stream, though one was asked for", async () => {
    scenario.upstream.json({ created: 1, data: [{ url: "https://x.example/1.png" }] });
    expect((await send("ark")).status).toBe(500);
    expect(event()).toMatchObject({ calls: 0, cost_points: "0" });
  });
});

test("a count beyond the pictures that came is not believed", async () => {
  scenario.upstream.on(streamOf(given(0), made(3), done));
  await send("ark", sequence(3));
  expect(event()).toMatchObject({
    cost_points: "0.19",
    flags: ["implausible"],
    reported: { generated_images: 3 },
  });
});

test("a repetition with the same idempotency key is given the same bytes, and is charged nothing", async () => {
  const frames = [given(0), made(1), done];
  scenario.upstream.on(streamOf(...frames));
  const once = { "idempotency-key": "cat-1" };
  expect((await send("ark", {}, once)).text).toBe(frames.join(""));
  const again = await send("ark", {}, once);
  expect([again.text, again.headers["x-gateway-replayed"]]).toEqual([frames.join(""), event()?.id]);
  expect([scenario.upstream.requests.length, scenario.memory.events.length]).toEqual([1, 1]);
});

test("searches that the last event counts are charged, and were held for", async () => {
  const tools = [{ type: "web_search" }];
  scenario.upstream.on(
    streamOf(given(0), made(1, { usage: { generated_images: 1, tool_usage: { web_search: 2 } } })),
  );
  await send("ark", { tools });
  expect(held()).toEqual([onePicture + 95_000_000_000_000_000n]);
  expect(event()).toMatchObject({ cost_points: "0.209", usage: { details: { calls: { web_search: 2 } } } });
});

test("whatever a provider streams, the call ends once, costs no more than was held and is no failure of ours", async () => {
  const grounds = [
    ["openai", [preview, drawn, preview, drawn], { n: 2 }],
    ["ark", [given(0), lost(1), given(2), made(2)], sequence(3)],
  ] as const;
  const values = (frames: readonly string[]) =>
    frames.map((text) => JSON.parse(text.split("data: ")[1] ?? "") as Json);
  for (const [form, frames, asked] of grounds) {
    const outcomes = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(mutated({ frames: values(frames) }), fc.boolean(), async (mutant, breaks) => {
        const { holds, events, settled, logs } = scenario.memory;
        for (const list of [holds, events, settled, logs]) list.length = 0;
        const { frames: sent } = mutant as { frames: unknown };
        const bytes = (Array.isArray(sent) ? sent : [sent]).map(
          (each) => `data: ${JSON.stringify(each)}\n\n`,
        );
        scenario.upstream.on((breaks ? broken : streamOf)(...bytes));
        const { status } = await send(form, asked);
        outcomes.add(events[0]?.outcome);
        const told = JSON.stringify([status, bytes]);
        expect(
          logs.filter((log) => log.event === "internal"),
          told,
        ).toEqual([]);
        expect([holds.length, events.length, settled.length], told).toEqual([1, 1, 1]);
        expect(parsePoints(events[0]?.cost_points ?? ""), told).toBeLessThanOrEqual(holds[0]?.points ?? 0n);
      }),
      { seed: 13, numRuns: 150 },
    );
    expect(outcomes).toEqual(new Set(["completed", "truncated", "failed"]));
  }
});

test("the last event says the cost where the client asks for it", async () => {
  scenario.upstream.on(streamOf(given(0), made(1), done));
  const { text } = await send("ark", {}, { "x-gateway-usage": "cost" });
  expect(text).toContain('"total_tokens":8,"cost":0.19,"cost_points":"0.19"}');
});
