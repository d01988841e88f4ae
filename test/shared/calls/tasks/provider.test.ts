/** The providers' task interface over real sockets: which answers make certain that nothing was created. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { Renderer } from "#shared/calls/tasks/deps.ts";
import { createRenderer } from "#shared/calls/tasks/provider.ts";
import type { OwnKeys } from "#shared/calls/upstreams/opened-keys.ts";
import { testCatalog } from "#test/support/memory.ts";
import { ownKeyAt, plainOwnKeys } from "#test/support/own-keys.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { withVideo } from "#test/support/video.ts";

const secret = "upstream-secret";
const channel = { provider: "ark", model: "upstream-video", priority: 1, weight: 1 };
const request = Buffer.from('{"model":"test/video-1","content":[],"seed":7}');
const task = { organization: "org_1" };
const upstreamTask = { ...task, provider: "ark", model: "upstream-video", id: "cgt-1" };
const path = "/ark/contents/generations/tasks";

let upstream: Upstream;
let provider: Renderer;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.reset();
  provider = at(upstream.url);
});

function at(url: string, key: string | undefined = secret): Renderer {
  const catalog = createCatalog(parseCatalog(withVideo(testCatalog(url), url)));
  return createRenderer({
    catalog,
    secrets: { provider: async () => key },
    ownKeys: plainOwnKeys,
    log: () => {},
  });
}

const answer = (status: number, body: object | string) =>
  upstream.on((_, response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
  );

test("a provider is reached with an address and a credential, and perhaps where nobody can say", async () => {
  expect(await provider.reaches({ provider: "ark" })).toBe(true);
  expect(await provider.reaches({ provider: "nobody" })).toBe(false);
  expect(await at(upstream.url, "").reaches({ provider: "ark" })).toBe(false);
  const catalog = createCatalog(parseCatalog(withVideo(testCatalog(upstream.url), upstream.url)));
  const secrets = { provider: () => Promise.reject(new Error("throttled")) };
  expect(
    await createRenderer({ catalog, secrets, ownKeys: plainOwnKeys, log: () => {} }).reaches({
      provider: "ark",
    }),
  ).toBe(true);
});

describe("creating", () => {
  test("sends the request under the channel's model and takes the id", async () => {
    answer(200, { id: "cgt-1" });
    expect(await provider.create(channel, request, task)).toEqual({ kind: "created", id: "cgt-1" });
    expect(upstream.requests).toMatchObject([
      { method: "POST", path, headers: { authorization: `Bearer ${secret}` } },
    ]);
    expect(upstream.requests[0]?.body.toString()).toBe('{"model":"upstream-video","content":[],"seed":7}');
  });

  test("sends an organization's own key in the place of ours, also to ask and to cancel", async () => {
    const own = ownKeyAt("ark");
    answer(200, { id: "cgt-1" });
    const alone = at(upstream.url, "");
    expect(await alone.reaches({ provider: "ark", own })).toBe(true);
    await alone.create({ ...channel, own }, request, task);
    await alone.read({ ...upstreamTask, own });
    await alone.cancel({ ...upstreamTask, own });
    const sent = upstream.requests.map(({ method, headers }) => [method, headers.authorization]);
    expect(sent).toEqual(["POST", "GET", "DELETE"].map((method) => [method, `Bearer ${own.sealed}`]));
  });

  test("takes the key of an organization out of what a provider says, and creates nothing without it", async () => {
    const own = ownKeyAt("ark");
    answer(400, { error: { code: "InvalidParameter", message: `bad ${own.sealed}` } });
    const told = await provider.create({ ...channel, own }, request, task);
    expect(told).toMatchObject({ kind: "refused", error: { message: "bad [redacted]" } });
    upstream.reset();
    const ownKeys: OwnKeys = { open: () => Promise.reject(new Error("KMS is gone")) };
    const catalog = createCatalog(parseCatalog(withVideo(testCatalog(upstream.url), upstream.url)));
    const shut = createRenderer({
      catalog,
      secrets: { provider: async () => secret },
      ownKeys,
      log: () => {},
    });
    expect(await shut.create({ ...channel, own }, request, task)).toMatchObject({ kind: "nothing" });
    expect(upstream.requests).toEqual([]);
  });

  test("tells the provider the task's place in its trace, and nothing of its own", async () => {
    answer(200, { id: "cgt-1" });
    const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "vendor=1" };
    await provider.create(channel, request, { ...task, trace });
    await provider.create(channel, request, task);
    expect(upstream.requests[0]?.headers).toMatchObject({ ...trace, authorization: `Bearer ${secret}` });
    expect(upstream.requests[1]?.headers).not.toHaveProperty("traceparent");
  });

  test.each([
    [401, { error: { code: "AuthenticationError", message: "no" } }, "key"],
    [403, { error: { code: "AccountOverdueError", message: "no" } }, "money"],
    [400, { error: { code: "InvalidParameter", message: "no" } }, undefined],
  ])("says of a %i of %j why it refuses our account", async (status, body, account) => {
    answer(status, body);
    const creation = await provider.create(channel, request, task);
    expect(creation).toMatchObject(account ? { kind: "nothing", status, account } : { kind: "refused" });
  });

  test.each([401, 403, 404, 408, 409, 429])("knows that %i created nothing", async (status) => {
    answer(status, { error: { code: "X", message: "no" } });
    expect(await provider.create(channel, request, task)).toMatchObject({ kind: "nothing" });
  });

  test.each([
    [500, { error: { code: "InternalServiceError", message: "oops" } }],
    [502, "<html>"],
    [302, ""],
    [200, ""],
    [200, "[]"],
    [200, { id: 5 }],
  ])("does not know what %i %j created", async (status, body) => {
    answer(status, body);
    expect(await provider.create(channel, request, task)).toMatchObject({ kind: "uncertain" });
  });

  test("sends once when the connection breaks after sending, also a kept one", async () => {
    upstream.json({ status: "queued" });
    await provider.read(upstreamTask);
    upstream.reset();
    upstream.on((_, response) => response.destroy());
    expect(await provider.create(channel, request, task)).toMatchObject({ kind: "uncertain" });
    expect(upstream.requests).toHaveLength(1);
  });

  test("knows that nobody was there, and that there is no credential", async () => {
    expect(await at("http://127.0.0.1:9").create(channel, request, task)).toMatchObject({ kind: "nothing" });
    const keyless = createRenderer({
      catalog: createCatalog(parseCatalog(withVideo(testCatalog(upstream.url), upstream.url))),
      secrets: { provider: async () => undefined },
      ownKeys: plainOwnKeys,
      log: () => {},
    });
    expect(await keyless.create(channel, request, task)).toMatchObject({ kind: "nothing" });
    expect(upstream.requests).toEqual([]);
  });

  test.each([400, 413, 422])(
    "takes %i for a verdict on the request, without our account in it",
    async (status) => {
      answer(status, {
        error: { code: "InvalidParameter", message: `bad ${secret} at https://ark.example/x` },
      });
      expect(await provider.create(channel, request, task)).toEqual({
        kind: "refused",
        error: { code: "InvalidParameter", message: "bad [redacted] at [address]" },
      });
    },
  );
});

describe("reading", () => {
  const content = { video_url: "https://v.example/1" };
  const video = {
    url: content.video_url,
    seconds: undefined,
    frames: undefined,
    resolution: undefined,
    ratio: undefined,
  };
  test.each([
    [{ status: "queued" }, { state: "queued" }],
    [{ status: "running" }, { state: "running" }],
    [{ status: "cancelled" }, { state: "cancelled" }],
    [
      {
        status: "succeeded",
        content,
        duration: 5,
        resolution: "720p",
        ratio: "1:1",
        framespersecond: 24,
        error: null,
      },
      {
        state: "succeed",
        video: {
          url: content.video_url,
          seconds: 5,
          frames: undefined,
          resolution: "720p",
          ratio: "1:1",
        },
      },
    ],
    [
      { status: "succeeded", content, frames: 121, framespersecond: 24 },
      { state: "succeed", video: { ...video, seconds: 6, frames: 121 } },
    ],
    [
      { status: "succeeded", content, frames: 121 },
      { state: "succeed", video: { ...video, seconds: 6, frames: 121 } },
    ],
    [
      { status: "succeeded", content, duration: 4.2 },
      { state: "succeed", video: { ...video, seconds: 5 } },
    ],
    ...[-1, 0, "5", null, 1e300].map((duration): [object, object] => [
      { status: "succeeded", content, duration },
      { state: "succeed", video },
    ]),
    [
      { status: "failed", error: { code: "OutputVideoSensitive", message: `no ${secret}` } },
      { state: "failed", code: "OutputVideoSensitive", message: "no [redacted]" },
    ],
    [
      { status: "failed" },
      { state: "failed", code: "GenerationFailed", message: "The provider could not make the video." },
    ],
    [
      { status: "expired" },
      { state: "failed", code: "ProviderTimeout", message: "The provider gave the task up." },
    ],
  ])("%j is %j", async (body, rendering) => {
    upstream.json(body);
    expect(await provider.read(upstreamTask)).toEqual(rendering);
    expect(upstream.requests).toMatchObject([{ method: "GET", path: `${path}/cgt-1` }]);
  });

  test.each([{ status: "paused" }, {}])(
    "pitfall 31: a status outside the known set is no state of the task, %j",
    async (answered) => {
      answer(200, answered);
      expect(await provider.read(upstreamTask)).toEqual({ state: "unknown" });
    },
  );

  test.each([404, 429, 500])("%i says nothing of the task", async (status) => {
    answer(status, { status: "failed" });
    expect(await provider.read(upstreamTask)).toEqual({ state: "unknown" });
  });

  test("says nothing of a task when nobody answers", async () => {
    expect(await at("http://127.0.0.1:9").read(upstreamTask)).toEqual({ state: "unknown" });
    expect(await provider.read({ ...upstreamTask, provider: "gone" })).toEqual({ state: "unknown" });
  });
});

describe("cancelling", () => {
  test.each([
    [200, true],
    [204, true],
    [409, false],
    [404, false],
    [500, false],
  ])("%i is %s", async (status, cancelled) => {
    answer(status, status === 204 ? "" : {});
    expect(await provider.cancel(upstreamTask)).toBe(cancelled);
    expect(upstream.requests).toMatchObject([{ method: "DELETE", path: `${path}/cgt-1` }]);
  });
});
