/**
 * The learner's bundle in AWS's own Node runtime, on the stack's own table. A batch of lessons becomes pages and
 * evidence. What models that do not answer have not learned goes back.
 */

import { createServer } from "node:http";
import { json, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "#infra/local/emulators/listen.ts";
import { limits } from "#shared/base/limits.ts";
import { variables } from "#shared/base/platform/env.ts";
import { newId } from "#shared/base/platform/id.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { type Lesson, sealLesson } from "#shared/calls/cache/semantic/lesson.ts";
import { openPage, pageOf } from "#shared/calls/cache/semantic/page.ts";
import { sketchOf } from "#shared/calls/cache/semantic/sketch.ts";
import type { ContextPlace, SemanticStore } from "#shared/calls/cache/semantic/store.ts";
import { createCacheEntries } from "#shared/edges/store/cache.ts";
import { createSemanticStore } from "#shared/edges/store/cache-semantic.ts";
import { createLessonQueue } from "#shared/edges/store/lesson-queue.ts";
import { type Emulators, startEmulators } from "#test/support/emulators.ts";
import { testCatalog } from "#test/support/memory.ts";
import { type Runtime, startRuntime } from "#test/support/runtime.ts";

const parts = new AsyncDisposableStack();
const vector = [1, -2, 3, -4, 5, -6, 7, -8, 9];
const key = Buffer.alloc(32, 7);
const place: ContextPlace = {
  scope: "scope-of-22-characters",
  context: "context-22-characters-",
  organization: newId("organization", Date.now()),
  project: "",
};

/** What the models get, and the status with which they answer. */
const asked: { path: string; key: string | undefined; body: unknown }[] = [];
let status = 200;
let verdicts: string[] = [];

let emulators: Emulators;
let learner: Runtime;
let store: SemanticStore;
let entries: ReturnType<typeof createCacheEntries>;

beforeAll(async () => {
  const provider = createServer(async (request, reply) => {
    const path = request.url ?? "";
    asked.push({ path, key: request.headers.authorization, body: await json(request) });
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const message = { role: "assistant", content: verdicts.shift() ?? "different" };
    const answer = path.endsWith("/embeddings")
      ? { object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: vector }], usage }
      : { id: "c", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
    reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const { url, stop } = await listen(provider, 0);
  parts.defer(stop);
  const catalog = testCatalog(url) as object;
  const cache = { embedder: "test/embedding-1", verifier: "test/model-1" };
  emulators = await startEmulators({ ...catalog, cache }, { TEST_API_KEY: "upstream-secret" });
  parts.defer(emulators.stop);
  const bundle = emulators.functionNamed("Learner");
  const tables = { cache: bundle.environment[variables.cacheTable] ?? "" };
  store = createSemanticStore(emulators.aws, tables);
  entries = createCacheEntries(emulators.aws, tables);
  learner = await startRuntime(bundle);
  parts.defer(learner.stop);
});

afterAll(() => parts.disposeAsync());

/** Gives the function these messages, at their first try or a later one, and gives the ids that failed. */
async function learn(bodies: string[], tries = 1): Promise<string[]> {
  const Records = bodies.map((body, id) => ({
    messageId: String(id),
    body,
    attributes: { ApproximateReceiveCount: String(tries) },
  }));
  const answer = await learner.invoke({ Records });
  const told = JSON.parse(await text(answer.body)) as { batchItemFailures: { itemIdentifier: string }[] };
  expect(answer.failure()).toBeUndefined();
  await answer.done;
  return told.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const name = Buffer.alloc(16, 0xa5).toString("base64url");
const until = Date.now() + 86_400_000;
const entry: Lesson = {
  ...{ kind: "entry", place, key: key.toString("base64url"), name, until },
  question: "How deep is the sea?",
};
const audit = (origin: string): Lesson => ({
  ...{ kind: "audit", place, request: newId("request", Date.now()), question: "How deep is the sea?" },
  ...{ kept: "Eleven kilometres.", fresh: "Eleven miles.", entry: { name, origin } },
});

describe("the learner", () => {
  it("learns a message as the gateway's queue has it, with the provider's key", async () => {
    const secrets = { peppers: async () => readPeppers(emulators.pepper) };
    await createLessonQueue(emulators.aws, emulators.lessonQueueUrl, secrets).send(entry);
    const input = { QueueUrl: emulators.lessonQueueUrl, MaxNumberOfMessages: 10 };
    const { Messages = [] } = await emulators.aws("sqs", "ReceiveMessage", input);
    const bodies = Messages.map(({ Body = "" }) => Body);
    expect(bodies).toHaveLength(1);
    expect(await learn(bodies)).toEqual([]);
    expect(asked).toMatchObject([
      {
        path: "/v1/embeddings",
        key: "Bearer upstream-secret",
        body: { model: "upstream-embedding", input: "How deep is the sea?" },
      },
    ]);
    const { pages } = await store.read(place);
    const bytes = pages.get(pageOf(name))?.bytes ?? Buffer.alloc(0);
    expect(openPage({ ...place, key }, pageOf(name), bytes)).toEqual([
      { name, until, sketch: sketchOf(vector) },
    ]);
  });

  it("removes an answer that its audit refutes, and switches the context off", async () => {
    const origin = newId("request", Date.now());
    const kept = { origin, at: Date.now(), until, box: Buffer.from("box") };
    for (const each of [name, "other"]) await entries.put({ scope: place.scope, name: each }, kept);
    verdicts = ["same", "different", "different"];
    const wrong = sealLesson(audit(origin), emulators.pepper);
    expect(await learn([sealLesson(audit(newId("request", Date.now())), emulators.pepper)])).toEqual([]);
    expect((await store.read(place)).evidence).toMatchObject({ agreed: 1, refuted: 0 });
    expect(await learn([wrong])).toEqual([]);
    expect(await learn([wrong])).toEqual([]);
    expect(await entries.read({ scope: place.scope, name })).toBeUndefined();
    expect(await entries.read({ scope: place.scope, name: "other" })).toBeDefined();
    const { evidence } = await store.read(place);
    expect(evidence).toMatchObject({ agreed: 0, refuted: 0 });
    expect(evidence.off_until).toBeGreaterThan(Date.now());
  });

  it("gives back what a model that fails has not learned, until its last try, and what nobody can read", async () => {
    status = 503;
    const bodies = ["no lesson", sealLesson({ ...entry, question: "Another?" }, emulators.pepper)];
    expect(await learn(bodies)).toEqual(["0", "1"]);
    expect(await learn(bodies, limits.lessonTriesMax)).toEqual(["0"]);
  });

  it("fails on what is no batch, so that the queue keeps it", async () => {
    await expect(learner.invoke({})).rejects.toThrow("TypeError");
  });
});
