/** What the log says of each attempt: when it was sent, counted from the call's arrival, and how long it took. */
import { expect, test } from "vitest";
import type { ReadyChannel } from "#shared/books/catalog/catalog.ts";
import { chatBody, completion, delta, done, sse, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

/** Ends the stream that is open, five seconds of the clock later. */
let endStream = () => {};

/** The model's channels, by the names their provider is asked for. Each takes so many milliseconds of the clock. */
function channels(took: Record<string, { ms: number; status: number }>, streamed = false): void {
  let clock = Date.now();
  scenario.memory.deps.now = () => clock;
  const model = scenario.memory.deps.catalog.find("test/model-1");
  const [first] = model?.channels ?? [];
  const all = Object.keys(took).map(
    (name, place) => ({ ...first, id: name, model: name, priority: place }) as ReadyChannel,
  );
  model?.channels.splice(0, 1, ...all);
  scenario.upstream.on((_, response) => {
    const body = scenario.upstream.requests.at(-1)?.body.toString() ?? "{}";
    const { ms, status } = took[(JSON.parse(body) as { model: string }).model] ?? { ms: 0, status: 404 };
    clock += ms;
    if (status === 200 && streamed) {
      response.writeHead(200, sse).write(delta("Hi"));
      endStream = () => {
        clock += 5_000;
        response.end(done);
      };
      return;
    }
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
}

const line = (event: string) => scenario.memory.logs.find((each) => each.event === event)?.fields;

test("of one that failed and of the one that answered", async () => {
  channels({ first: { ms: 30, status: 503 }, second: { ms: 12, status: 200 } });
  expect((await scenario.chat({ at: scenario.memory.deps.now() - 4 })).status).toBe(200);
  expect(line("upstream_failed")).toMatchObject({ attempts: 1, sent_ms: 4, attempt_ms: 30 });
  expect(line("call")).toMatchObject({ attempts: 2, sent_ms: 34, attempt_ms: 12, duration_ms: 46 });
  expect(line("call")).not.toHaveProperty("first_byte_ms");
});

test("of a stream until its first frame", async () => {
  channels({ only: { ms: 25, status: 200 } }, true);
  const body = { ...chatBody, stream: true };
  const onChunk = () => endStream();
  expect((await scenario.chat({ body, onChunk, at: scenario.memory.deps.now() })).status).toBe(200);
  expect(line("call")).toMatchObject({ sent_ms: 0, attempt_ms: 25, first_byte_ms: 25, duration_ms: 5_025 });
});

test("of one that blamed the request", async () => {
  channels({ only: { ms: 7, status: 422 } });
  expect((await scenario.chat({ at: scenario.memory.deps.now() })).status).toBe(400);
  expect(line("request_refused")).toMatchObject({ attempts: 1, sent_ms: 0, attempt_ms: 7 });
});
