/** Calls that are refused before they are held are kept, after their answer, for whoever asks by their id. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { HttpReply } from "#shared/base/http/message.ts";
import { newId } from "#shared/base/platform/id.ts";
import { createLook } from "#shared/calls/gateway/look.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { localAnswers } from "../../../../functions/local-answers.ts";

const path = "/v1/chat/completions";
const model = "test/model-1";
const good = { model, max_tokens: 10, messages: [{ role: "user", content: "x" }] };
let upstream: Upstream;
let memory: Memory;
let serve: Pipeline;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.on((_request, response) => void response.writeHead(500).end());
});
afterAll(() => upstream.stop());
beforeEach(() => {
  memory = createMemory(testCatalog(upstream.url));
  serve = createPipeline(localAnswers(memory.deps as never), memory.deps);
});

async function ask(key: string, body: object = good, at = path): Promise<string> {
  return (await call(serve, at, { headers: { authorization: `Bearer ${key}` }, body })).id;
}

const own = {
  organization: expect.stringMatching(/^org_/),
  key: expect.stringMatching(/^key_/),
  project: "",
};

test("with whose it was, its model, and what its client was told", async () => {
  const request = await ask(memory.addKey({ project: "tower" }), { ...good, max_tokens: 0 });
  expect(memory.refused).toEqual([
    {
      ...{ ...own, project: "tower", request, model, path },
      error: "invalid_request",
      message: expect.stringContaining("max_tokens"),
    },
  ]);
});

test("without a model where it named none, and without a message where the table has it", async () => {
  const key = memory.addKey();
  const unnamed = await ask(key, { ...good, model: "no/such" });
  memory.admission = { admitted: false, error: "insufficient_balance", limitStatus: {} };
  const poor = await ask(key);
  expect(memory.refused).toEqual([
    { ...own, request: unnamed, model: null, path, error: "not_found", message: expect.any(String) },
    { ...own, request: poor, model, path, error: "insufficient_balance" },
  ]);
});

test("of a frozen account and of a key that is revoked, each time", async () => {
  const frozen = memory.addKey({}, { status: "frozen" });
  const revoked = memory.addKey({ status: "revoked" });
  const asked = [await ask(frozen), await ask(frozen), await ask(revoked), await ask(revoked)];
  const errors = ["account_frozen", "account_frozen", "invalid_key", "invalid_key"];
  expect(memory.refused).toEqual(
    asked.map((request, at) => ({ ...own, request, model: null, path, error: errors[at] })),
  );
  // The lines name them too.
  const lines = memory.logs.filter(({ event }) => event === "refused").map(({ fields }) => fields);
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(line).toMatchObject({ organization: own.organization, key: own.key });
});

test("of a video task, with its model", async () => {
  const tasks = "/api/v3/contents/generations/tasks";
  const request = await ask(memory.addKey(), { model, content: [{ type: "text", text: "x" }] }, tasks);
  expect(memory.refused).toEqual([
    { ...own, request, model, path: tasks, error: "invalid_request", message: expect.any(String) },
  ]);
});

test("never of a stranger, of a route without a model, or of a call that failed and is in the ledger", async () => {
  await call(serve, path, { body: good });
  await ask("sk-payg-nobody");
  const key = memory.addKey();
  await call(serve, "/api/v1/keys", { method: "GET", headers: { authorization: `Bearer ${key}` } });
  await ask(key);
  expect(memory.refused).toEqual([]);
  expect(memory.events.map(({ error }) => error)).toEqual(["upstream_error"]);
});

test("after the answer, which neither waits for the note nor fails by it", async () => {
  const held = Promise.withResolvers<never>();
  memory.deps.refusedCalls = () => held.promise;
  const at = Date.now();
  const reply: HttpReply = await serve({
    ...{ id: newId("request", at), method: "POST", path, query: new URLSearchParams() },
    headers: { authorization: `Bearer ${memory.addKey({}, { status: "frozen" })}` },
    ...{ body: Buffer.from("{}"), received_at: at, deadline_at: at + 60_000 },
  });
  expect(reply.status).toBe(401);
  const after = reply.after?.();
  held.reject(new Error("the part cannot be loaded"));
  await expect(after).resolves.toBeUndefined();
});

test("by a server that knows the key before it reads the body", async () => {
  const look = createLook(memory.deps);
  const at = Date.now();
  const asked = {
    ...{ id: newId("request", at), method: "POST", path, query: new URLSearchParams() },
    headers: { authorization: `Bearer ${memory.addKey({}, { status: "frozen" })}` },
    ...{ body: Buffer.alloc(0), received_at: at, deadline_at: at + 60_000 },
  };
  expect(await look(asked)).toMatchObject({ status: 401 });
  await expect.poll(() => memory.refused).toMatchObject([{ request: asked.id, error: "account_frozen" }]);
  expect(memory.logs.at(-1)?.fields).toMatchObject({ organization: own.organization, key: own.key });
});

test("of two keys that are no good, the first that somebody had; of a good one beside it, none", async () => {
  const revoked = memory.addKey({ status: "revoked", project: "tower" });
  const good = memory.addKey();
  const both = (second: string) =>
    call(serve, path, { headers: { "x-api-key": revoked, authorization: `Bearer ${second}` }, body: {} });
  const { id } = await both("sk-payg-nobody");
  expect(memory.refused).toMatchObject([{ request: id, project: "tower", error: "invalid_key" }]);
  await both(good);
  expect(memory.refused[1]).toMatchObject({ project: "", error: "invalid_request" });
});
