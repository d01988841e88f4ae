/**
 * Providers that answer nonsense, too much or too slowly. No answer may keep a task from ending, make it cost what
 * no video costs, or leave open what is certain.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { LogFields } from "#shared/base/platform/log.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { createRenderer } from "#shared/calls/tasks/provider.ts";
import { testCatalog } from "#test/support/memory.ts";
import { plainOwnKeys } from "#test/support/own-keys.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { withVideo } from "#test/support/video.ts";

const channel = { provider: "ark", model: "upstream-video", priority: 1, weight: 1 };
const request = Buffer.from('{"model":"test/video-1","content":[]}');
const task = { organization: "org_1" };
const upstreamTask = { ...task, provider: "ark", model: "upstream-video", id: "cgt-1" };
const url = "https://v.example/1";

let upstream: Upstream;
let logs: LogFields[];

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.reset();
  logs = [];
});

function renderer(secret: () => Promise<string> = async () => "upstream-secret", callMs?: number) {
  const catalog = createCatalog(parseCatalog(withVideo(testCatalog(upstream.url), upstream.url)));
  return createRenderer({
    catalog,
    secrets: { provider: secret },
    ownKeys: plainOwnKeys,
    log: (_level, _event, fields = {}) => void logs.push(fields),
    ...(callMs === undefined ? {} : { callMs }),
  });
}

const read = async (body: object) => {
  upstream.json(body);
  return await renderer().read(upstreamTask);
};

describe("creating", () => {
  test.each([
    ["secrets that cannot be read", () => Promise.reject(new Error("throttled"))],
    ["a secret that no header can carry", async () => "upstream-secret\n"],
  ])("is certain to have created nothing with %s", async (_, secret) => {
    upstream.json({ id: "cgt-1" });
    expect(await renderer(secret).create(channel, request, task)).toMatchObject({ kind: "nothing" });
    expect(upstream.requests).toEqual([]);
  });

  test("is certain to have created nothing where the request is not kept any more", async () => {
    expect(await renderer().create(channel, Buffer.alloc(0), task)).toMatchObject({ kind: "nothing" });
    expect(upstream.requests).toEqual([]);
  });

  test.each(["x".repeat(600), "..", "a b"])("takes no id that is none: %.10s", async (id) => {
    upstream.json({ id });
    expect(await renderer().create(channel, request, task)).toMatchObject({ kind: "uncertain" });
  });
});

describe("reading", () => {
  test.each([
    ["without its video", { status: "succeeded", duration: 5 }],
    ["with an address that is none", { status: "succeeded", content: { video_url: "soon" } }],
    [
      "with an address longer than any",
      { status: "succeeded", content: { video_url: url.padEnd(9000, "x") } },
    ],
  ])("shows no success %s, and says so in the log", async (_, body) => {
    expect(await read(body)).toEqual({ state: "unknown" });
    expect(logs).toMatchObject([
      { provider: "ark", upstream: "cgt-1", error: expect.stringMatching(/state/) },
    ]);
  });

  test.each([15.4, 5000, 1e11])("takes %d for no length of a video", async (duration) => {
    const body = { status: "succeeded", content: { video_url: url }, duration };
    expect(await read(body)).toMatchObject({ video: { seconds: undefined } });
  });

  test("takes no length from frames that would be longer than any video", async () => {
    const body = { status: "succeeded", content: { video_url: url }, frames: 289, framespersecond: 1 };
    expect(await read(body)).toMatchObject({ video: { seconds: undefined, frames: 289 } });
  });

  test("takes nothing for a resolution or a ratio that cannot be one", async () => {
    const body = {
      status: "succeeded",
      content: { video_url: url },
      resolution: "x".repeat(500_000),
      ratio: "\ud800",
    };
    expect(await read(body)).toMatchObject({ video: { url, resolution: undefined, ratio: undefined } });
  });

  test.each(["data:video/mp4;base64,AAAA", "javascript:alert(1)", "ftp://videos.example/1.mp4"])(
    "takes nothing for an address that is none of the web: %s",
    async (address) => {
      expect(await read({ status: "succeeded", content: { video_url: address } })).toEqual({
        state: "unknown",
      });
    },
  );

  test("takes nothing for an address that the store could not keep", async () => {
    const body = { status: "succeeded", content: { video_url: `${url}?\ud800` } };
    expect(await read(body)).toEqual({ state: "unknown" });
  });

  test("gives nobody our key, as a code or in an address", async () => {
    const failed = { status: "failed", error: { code: "upstream-secret", message: "no upstream-secret" } };
    expect(await read(failed)).toEqual({
      state: "failed",
      code: "GenerationFailed",
      message: "no [redacted]",
    });
    const made = { status: "succeeded", content: { video_url: `${url}?key=upstream-secret` } };
    expect(await read(made)).toEqual({ state: "unknown" });
  });

  test("cuts no sign of a message in two", async () => {
    const message = `${"x".repeat(limits.errorMessageBytesMax - 1)}🌧`;
    const rendering = await read({ status: "failed", error: { message } });
    expect("message" in rendering && rendering.message.isWellFormed()).toBe(true);
  });

  test.each([401, 404, 503])("says in the log that the answer was %i", async (status) => {
    upstream.on((_, response) => response.writeHead(status).end("{}"));
    expect(await renderer().read(upstreamTask)).toEqual({ state: "unknown" });
    expect(logs).toMatchObject([{ error: expect.stringContaining(String(status)) }]);
  });

  test("gives up an answer that comes byte by byte", async () => {
    let drip: NodeJS.Timeout | undefined;
    upstream.on((_, response) => {
      response.writeHead(200);
      drip = setInterval(() => response.write(" "), 20);
    });
    expect(await renderer(undefined, 200).read(upstreamTask)).toEqual({ state: "unknown" });
    clearInterval(drip);
  });

  test("gives up an answer that is larger than any", async () => {
    upstream.on((_, response) => {
      response.writeHead(200).end(`{"status":"running","x":"${"x".repeat(limits.taskReplyBytesMax)}"}`);
    });
    expect(await renderer().read(upstreamTask)).toEqual({ state: "unknown" });
  });
});
