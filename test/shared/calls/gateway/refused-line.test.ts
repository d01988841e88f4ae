/** The log line of a call that gets an error: it is all that an operator finds of a refused one, so it says whose it was. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const path = "/v1/chat/completions";
const good = { model: "test/model-1", max_tokens: 10, messages: [{ role: "user", content: "x" }] };
const log = vi.fn();
let upstream: Upstream;
let ask: (body: unknown, headers?: Record<string, string>) => Promise<string | undefined>;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.on((_request, response) => void response.writeHead(500).end());
  const memory = createMemory(testCatalog(upstream.url));
  const own = { authorization: `Bearer ${memory.addKey()}` };
  const serve = createPipeline({} as LocalAnswers, { ...memory.deps, log });
  ask = async (body, headers = own) =>
    (await call(serve, path, { headers, body: body as object })).headers["x-request-id"];
});
beforeEach(() => log.mockClear());
afterAll(() => upstream.stop());

/** The fields of the line that tells of a request. */
const lineOf = (id: string | undefined, event: string) =>
  log.mock.calls.find(([, name, fields]) => name === event && fields.request === id)?.[2];

const caller = { organization: expect.stringMatching(/^org_/), key: expect.stringMatching(/^key_/) };

test("names nobody where nobody is known", async () => {
  const id = await ask(good, {});
  expect(lineOf(id, "refused")).toEqual({ request: id, route: path, code: 40100 });
});

test("names organization and key once they are known, and never a name that is no model's", async () => {
  for (const body of ["no JSON", { ...good, model: "secret/of-the-prompt" }]) {
    const id = await ask(body);
    expect(lineOf(id, "refused")).toEqual({ request: id, ...caller, route: path, code: expect.any(Number) });
  }
});

test("names the model too, as soon as it is one", async () => {
  const id = await ask({ ...good, max_tokens: "many" });
  expect(lineOf(id, "refused")).toEqual({
    ...{ request: id, ...caller, model: "test/model-1", route: path, code: 40000 },
  });
});

test("names all three of a call that nobody answered", async () => {
  const id = await ask(good);
  expect(lineOf(id, "call_failed")).toMatchObject({ ...caller, model: "test/model-1", code: 50001 });
});
