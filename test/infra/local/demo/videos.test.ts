/** The demo provider's video tasks: the vendor's API (protocols.md §4.4), and videos that last as long as they say. */
import { afterEach, describe, expect, test } from "vitest";
import { VideoTasks } from "#infra/local/demo/ark-tasks.ts";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { sampleVideo } from "#infra/local/demo/sample-video.ts";
import { readCreated } from "#shared/calls/protocols/ark-video/answers.ts";
import { cleanUp, cleanups } from "#test/support/local/fixture.ts";
import { readVideo } from "#test/support/mp4.ts";

afterEach(cleanUp);

const base = "http://demo/ark";
const path = "/contents/generations/tasks";
const model = "doubao-seedance-1-0-pro-250528";
const prompt = (text: string) => ({ model, content: [{ type: "text", text }] });

interface Shown {
  id: string;
  status: string;
  error: { code: string } | null;
  content?: { video_url: string };
  usage?: { completion_tokens: number };
  [field: string]: unknown;
}

/** A demo provider of its own, at a time that the test sets. */
function demo(scale = 1) {
  const clock = { now: 1_800_000_000_000 };
  const tasks = new VideoTasks(scale, () => clock.now);
  const ask = (method: string, suffix = "", body?: Record<string, unknown>) => {
    const [own = "", query] = suffix.split("?");
    const request = { method, path: path + own, query: new URLSearchParams(query), body, base };
    const answer = tasks.answer(request);
    return { status: answer?.status, body: answer?.body as unknown as Shown };
  };
  return {
    clock,
    ask,
    tasks,
    create: (text: string, fields = {}) => ask("POST", "", { ...prompt(text), ...fields }).body.id,
    show: (id: string) => ask("GET", `/${id}`).body,
  };
}

describe("a task", () => {
  test("answers its creation with an id alone, then is queued, runs and succeeds as the vendor shows it", () => {
    const { clock, ask, show } = demo();
    const created = ask("POST", "", {
      ...prompt("a cat"),
      resolution: "480p",
      ratio: "1:1",
      duration: 4,
      seed: 11,
    });
    expect(created).toEqual({ status: 200, body: { id: expect.stringMatching(/^cgt-[\w-]+$/) } });
    // It carries the whole task, and is short enough for the gateway all the same.
    expect(readCreated(Buffer.from(JSON.stringify(created.body)))).toBe(created.body.id);
    const { id } = created.body;
    const always = {
      ...{ id, model, error: null, created_at: 1_800_000_000, seed: 11, resolution: "480p", ratio: "1:1" },
      ...{ duration: 4, framespersecond: 24, generate_audio: true, draft: false },
      ...{ service_tier: "default", execution_expires_after: 172_800 },
    };
    expect(show(id)).toEqual({ ...always, status: "queued", updated_at: 1_800_000_000 });
    clock.now += 1_000;
    expect(show(id)).toEqual({ ...always, status: "running", updated_at: 1_800_000_001 });
    clock.now += 2_000;
    const tokens = (640 * 640 * 24 * 4) / 1024;
    expect(show(id)).toEqual({
      ...{ ...always, status: "succeeded", updated_at: 1_800_000_003 },
      content: { video_url: `${base}/videos/${id}.mp4` },
      usage: { completion_tokens: tokens, total_tokens: tokens },
    });
  });

  test.each([
    ["fail now", [1, 2], "failed"],
    ["a slow cat", [20, 40], "succeeded"],
  ])("with the words %j takes %j seconds and has %s", (text, [queued = 0, running = 0], end) => {
    const { clock, create, show } = demo(0.01);
    const id = create(text);
    clock.now += queued * 10 - 1;
    expect(show(id).status).toBe("queued");
    clock.now += 1;
    expect(show(id).status).toBe("running");
    clock.now += running * 10;
    expect(show(id).status).toBe(end);
    expect(show(id).error === null).toBe(end !== "failed");
    expect("usage" in show(id)).toBe(end !== "failed");
  });

  test("that is stuck never ends", () => {
    const { clock, create, show } = demo();
    const id = create("stuck");
    clock.now += 365 * 86_400_000;
    expect(show(id).status).toBe("running");
  });

  test("of frames has no duration, and of duration -1 one of the model's choice", () => {
    const { create, show } = demo();
    const framed = show(create("a", { frames: 29 }));
    expect(framed).toMatchObject({ frames: 29 });
    expect(framed).not.toHaveProperty("duration");
    expect(show(create("a", { duration: -1 }))).toMatchObject({ duration: 8 });
    expect(show(create("a"))).toMatchObject({ duration: 5, resolution: "720p", ratio: "16:9" });
  });

  test("is known to the provider's next run", () => {
    const before = demo();
    const id = before.create("a cat", { duration: 6 });
    const { clock, show } = demo();
    clock.now += 10_000;
    expect(show(id)).toMatchObject({ model, duration: 6, status: "succeeded" });
  });
});

describe("what the vendor refuses", () => {
  test.each([
    ["a prompt to reject", prompt("reject this"), "InputTextSensitiveContentDetected"],
    ["no model", { content: [{ type: "text", text: "a" }] }, "MissingParameter.model"],
    ["no content", { model }, "MissingParameter.content"],
    ["no JSON", undefined, "MissingParameter.model"],
  ])("%s", (_, body, code) => {
    expect(demo().ask("POST", "", body)).toMatchObject({
      status: 400,
      body: { error: { code, type: "BadRequest" } },
    });
  });

  test.each(["cgt-unknown", "cgt-W10", "cgt-bnVsbA"])("the task %s, which is none", (id) => {
    for (const method of ["GET", "DELETE"]) {
      expect(demo().ask(method, `/${id}`)).toMatchObject({
        status: 404,
        body: { error: { type: "NotFound" } },
      });
    }
  });

  test("other methods", () => {
    expect(demo().ask("PUT").status).toBe(405);
  });
});

describe("DELETE", () => {
  test("cancels a queued task, once", () => {
    const { clock, ask, create, show } = demo();
    const id = create("a cat");
    expect(ask("DELETE", `/${id}`)).toEqual({ status: 200, body: {} });
    clock.now += 60_000;
    expect(show(id)).toMatchObject({ status: "cancelled" });
    expect(ask("DELETE", `/${id}`).status).toBe(409);
  });

  test("is refused while a task runs, and deletes the record of one that has ended", () => {
    const { clock, ask, create, tasks } = demo();
    const id = create("a cat");
    clock.now += 1_500;
    expect(ask("DELETE", `/${id}`)).toMatchObject({ status: 409, body: { error: { type: "Conflict" } } });
    clock.now += 1_500;
    expect(ask("DELETE", `/${id}`).status).toBe(200);
    expect(ask("GET", `/${id}`).status).toBe(404);
    const video = {
      method: "GET",
      path: `/videos/${id}.mp4`,
      query: new URLSearchParams(),
      body: undefined,
      base,
    };
    expect(tasks.answer(video)?.status).toBe(404);
  });
});

test("lists tasks, newest first, by page, status, id and model", () => {
  const { clock, ask, create } = demo();
  const [old, failing] = [create("a cat"), create("fail")];
  clock.now += 5_000;
  const young = create("a dog", { model: "another" });
  const list = (query: string) => {
    const { items, total } = ask("GET", `?${query}`).body as unknown as { items: Shown[]; total: number };
    return [items.map(({ id }) => id), total];
  };
  expect(list("")).toEqual([[young, failing, old], 3]);
  expect(list("page_size=1&page_num=2")).toEqual([[failing], 3]);
  expect(list("filter.status=failed")).toEqual([[failing], 1]);
  expect(list(`filter.task_ids=${old}&filter.task_ids=${young}`)).toEqual([[young, old], 2]);
  expect(list("filter.model=another")).toEqual([[young], 1]);
});

describe("a video", () => {
  test.each([
    [1, 1 / 24],
    [29, 29 / 24],
    [120, 5],
    [288, 12],
    [24 * 86_400, 86_400],
  ])("of %i frames plays for %f s, and is the same picture", (framesAsked, seconds) => {
    const video = readVideo(sampleVideo(framesAsked));
    expect(video).toMatchObject({ width: 864, height: 480, frames: 120, seconds });
  });

  test("does not change the next one", () => {
    expect(readVideo(sampleVideo(48)).seconds).toBe(2);
    expect(readVideo(sampleVideo(120)).seconds).toBe(5);
  });
});

describe("a video over HTTP", () => {
  test.each([
    [{ duration: 5 }, 5],
    [{ resolution: "1080p", ratio: "9:16", frames: 29 }, 29 / 24],
  ])("of %o is an MP4 file that nests, and lasts as long as was asked", async (fields, seconds) => {
    const server = await startDemoProvider({ taskScale: 0.0001 });
    cleanups.push(server.stop);
    const tasks = `${server.url}/acme/ark${path}`;
    const body = JSON.stringify({ ...prompt("a cat"), ...fields });
    const { id } = (await (await fetch(tasks, { method: "POST", body })).json()) as Shown;
    const show = async () => (await (await fetch(`${tasks}/${id}`)).json()) as Shown;
    await expect.poll(async () => (await show()).status, { interval: 1 }).toBe("succeeded");
    const reply = await fetch((await show()).content?.video_url ?? "");
    expect(reply.headers.get("content-type")).toBe("video/mp4");
    const video = readVideo(Buffer.from(await reply.arrayBuffer()));
    expect(video).toMatchObject({ width: 864, height: 480, frames: 120, seconds });
  });
});
