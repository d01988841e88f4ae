/** Video tasks through the running gateway: made, paid, explained, cancelled; each purse exact to the last digit. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { awsAt } from "#test/support/local/fixture.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { openMembers } from "#test/support/members.ts";
import { expectCleanAudit } from "#test/support/money.ts";
import { readVideo } from "#test/support/mp4.ts";
import {
  buyer,
  keptTask,
  runCatalog,
  runEnv,
  secondPoints,
  type VideoClient,
  videoModel,
} from "#test/support/video-run.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal({ catalog: runCatalog(), env: runEnv });
});
afterAll(async () => {
  await gateway?.stop();
});

/** What is left of 10 points after videos of so many seconds. */
function tenLess(...seconds: number[]): string {
  return formatPoints(seconds.reduce((left, each) => left - BigInt(each) * secondPoints, parsePoints("10")));
}

async function cancelled(client: VideoClient, task: string): Promise<void> {
  const { status, json } = await client.ask("DELETE", `/${task}`, "{}");
  expect([status, json]).toEqual([200, { id: task, status: "cancelled" }]);
}

describe.concurrent("a video", () => {
  test("is made, downloaded, paid by the second, explained by its receipt and reported", async () => {
    const { client, balance } = await buyer(gateway);
    const task = await client.create("A cat in the rain.");
    const running = await client.until(task, "running", "succeed");
    expect(running).toMatchObject({ model: videoModel, resolution: "720p", ratio: "16:9", duration: 5 });
    const done = await client.until(task);
    const address = { video_url: expect.stringMatching(/^http:.*\.mp4$/) };
    expect(done).toMatchObject({ status: "succeed", result: address, content: address });

    const video = await fetch(done.result?.video_url ?? "");
    expect([video.status, video.headers.get("content-type")]).toEqual([200, "video/mp4"]);
    const made = readVideo(Buffer.from(await video.arrayBuffer()));
    expect(made).toMatchObject({ width: 864, height: 480, seconds: 5, framesPerSecond: 24 });

    expect(await balance()).toBe(tenLess(5));
    const cost = formatPoints(5n * secondPoints);
    const receipt = await client.fetch(`/api/v1/requests/${task}`);
    expect(receipt).toMatchObject({
      ...{ id: task, status: "settled", kind: "video", model: videoModel, billing_mode: "payg" },
      ...{ outcome: "completed", evidence: "reported", calls: 1, flags: [], discount_rate: "0.9" },
      usage: { video_seconds: 5 },
      price: { mode: "per_second", by_resolution: { "720p": "0.0518" } },
      lines: [{ dimension: "video_seconds", quantity: 5, unit_price: "0.0518", per: 1, points: cost }],
      ...{ list_points: cost, cost_points: cost, entries: [{ id: task, points: cost }] },
    });
    const totals = { calls: 1, video_seconds: 5, input_tokens: 0, cost_points: cost };
    expect(await client.fetch("/api/v1/usage?period=today")).toMatchObject({
      by_model: [{ model: videoModel, ...totals }],
      totals,
    });
  });

  test("of another resolution and length costs what that is, and a draft is made small", async () => {
    const { client, balance } = await buyer(gateway);
    const [large, small] = await Promise.all([
      client.create("A dog.", { resolution: "1080p", ratio: "1:1", duration: -1, generate_audio: false }),
      client.create("A bird.", { draft: true, duration: 4 }),
    ]);
    // The provider would choose the length by itself; -1 is the longest here (contract §4.8).
    expect(await client.until(large)).toMatchObject({ resolution: "1080p", ratio: "1:1", duration: 12 });
    expect(await client.until(small)).toMatchObject({ resolution: "480p", draft: true, duration: 4 });
    const [first, second] = await Promise.all(
      [large, small].map((task) => client.fetch(`/api/v1/requests/${task}`)),
    );
    // 12 × 0.1166 × 0.9 and 4 × 0.0233 × 0.9.
    expect([first?.cost_points, second?.cost_points]).toEqual(["1.25928", "0.08388"]);
    expect(await balance()).toBe("8.65684");
  });

  test("goes with its organization's own key, which the console has sealed, for a fee", async () => {
    const { id, client, balance } = await buyer(gateway);
    const place = connectLocally(gateway.readyFile);
    const secret = readPeppers(await readSecret(place.aws, place.accountsSecretArn));
    const desk = openMembers(place, { secret });
    desk.clock.now = Date.now();
    const owner = await desk.newMember({ id }, "owner");
    const given = await fetch(new URL("/api/v1/provider-keys/volcengine", gateway.console_url), {
      method: "PUT",
      headers: {
        authorization: `Bearer ${await owner.token({ id } as Organization)}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ key: "sk-own-key-of-a-customer-7Qa2" }),
    });
    expect([given.status, await given.json()]).toMatchObject([200, { last_four: "7Qa2", use: "only" }]);
    const task = await client.create("A cat that pays its provider itself.");
    expect(await client.until(task)).toMatchObject({ status: "succeed" });
    const fee = formatPoints((5n * secondPoints) / 20n);
    expect(await client.fetch(`/api/v1/requests/${task}`)).toMatchObject({ cost_points: fee, own_fee: {} });
    expect(await balance()).toBe(formatPoints(parsePoints("10") - parsePoints(fee)));
    expect((await keptTask(gateway, id, task)).upstream).toMatchObject({
      provider: "volcengine",
      own_key: true,
    });
  });

  test("is listed by the vendor's paging and filters", async () => {
    const { client } = await buyer(gateway);
    const made: string[] = [];
    for (const text of ["One.", "Two, slow.", "Three."]) made.unshift(await client.create(text));
    const [three = "", two = "", one = ""] = made;
    await client.until(one, "succeed");
    await client.until(three, "succeed");
    const list = async (query: string) => {
      const { status, json } = await client.ask("GET", `?${query}`);
      expect(status, query).toBe(200);
      return [(json.items as { id: string }[]).map(({ id }) => id), json.total];
    };
    expect(await list("")).toEqual([made, 3]);
    expect(await list("page_num=2&page_size=2")).toEqual([[one], 3]);
    expect(await list("page_num=3&page_size=2")).toEqual([[], 3]);
    expect(await list("filter.status=succeeded")).toEqual([[three, one], 2]);
    expect(await list(`filter.task_ids=${two}&filter.task_ids=${one}`)).toEqual([[two, one], 2]);
    expect(await list("filter.model=volcengine/doubao-seedance-1.5-pro&page_size=1")).toEqual([[three], 3]);
    expect((await client.ask("GET", "?page_size=501")).json).toMatchObject({
      error: { code: "INVALID_REQUEST" },
    });
    await client.until(two);
    expect(await list("filter.status=queued")).toEqual([[], 0]);
  });
});

describe.concurrent("a cancel", () => {
  test("of a queued task gives everything back; of any other it changes nothing, and is not repeated", async () => {
    const { client, balance } = await buyer(gateway);
    const task = await client.create("Something slow.");
    expect(await client.fetch(`/api/v1/requests/${task}`)).toMatchObject({
      ...{ status: "pending", held_points: "0.2331" },
    });
    await cancelled(client, task);
    expect(await client.get(task)).toMatchObject({ status: "cancelled" });
    expect(await balance()).toBe("10");
    expect(await client.fetch(`/api/v1/requests/${task}`)).toMatchObject({
      ...{ status: "settled", calls: 0, cost_points: "0", flags: ["cancelled"], lines: [] },
    });

    const other = await client.create("Something slow.");
    const refused = async () => {
      const { status, headers, json } = await client.ask("DELETE", `/${other}`, "{}");
      expect([status, headers.get("x-should-retry")]).toEqual([409, "false"]);
      expect(json).toMatchObject({ error: { code: "INVALID_STATE" } });
    };
    await client.until(other, "running");
    await refused();
    const done = await client.until(other, "succeed");
    await refused();
    // The vendor's own DELETE would have deleted the video.
    expect((await fetch(done.result?.video_url ?? "")).status).toBe(200);
    expect(await balance()).toBe(tenLess(5));
  });
});

describe.concurrent("a task that fails", () => {
  test.each([
    ["is refused when it is sent", "Please reject it.", "InputTextSensitiveContentDetected"],
    ["fails while it runs", "It must fail.", "OutputVideoSensitiveContentDetected"],
  ])("because it %s says why, and is free", async (_, text, code) => {
    const { client, balance } = await buyer(gateway);
    const task = await client.create(text);
    expect(await client.until(task)).toMatchObject({ status: "failed", error: { code } });
    expect(await balance()).toBe("10");
    expect(await client.fetch(`/api/v1/requests/${task}`)).toMatchObject({
      ...{ outcome: "failed", calls: 0, cost_points: "0" },
    });
  });

  test("gives a subscription its call back; one that succeeds has used it", async () => {
    const { client } = await buyer(gateway, { plan: "lite" });
    const used = async () => (await client.fetch("/api/v1/usage?period=today")).totals;
    await client.until(await client.create("It must fail."), "failed");
    expect(await used()).toMatchObject({ calls: 0, cost_points: "0" });
    const task = await client.create("A cat.");
    await client.until(task, "succeed");
    expect(await used()).toMatchObject({
      calls: 1,
      video_seconds: 5,
      cost_points: "0",
      list_points: "0.2331",
    });
    expect(await client.fetch(`/api/v1/requests/${task}`)).toMatchObject({
      ...{ billing_mode: "subscription", cost_points: "0", calls: 1 },
    });
  });
});

describe.concurrent("an execution that breaks", () => {
  test("is followed by the next one, which ends the task; it is billed once", async () => {
    const { id, client, balance } = await buyer(gateway);
    const task = await client.create("Something slow.");
    await client.until(task, "running");
    const { aws, videoWorkflowArn } = connectLocally(gateway.readyFile);
    const executionArn = `${videoWorkflowArn.replace(":stateMachine:", ":execution:")}:${task}`;
    await aws("states", "StopExecution", { executionArn, cause: "the test" });
    await client.until(task, "succeed");
    expect((await keptTask(gateway, id, task)).repairs).toBe(1);
    expect(await balance()).toBe(tenLess(5));
    const next = { executionArn: `${executionArn}-r1` };
    expect(await awsAt(gateway.endpoints)("states", "DescribeExecution", next)).toMatchObject({
      name: `${task}-r1`,
    });
  });
});

describe.concurrent("a wallet of several shards", () => {
  test("pays what no shard has alone, and gets back what was held, while shards come and go", async () => {
    const { id, client, balance } = await buyer(gateway, { points: "1" });
    await operator(gateway, "org", "shards", id, "--count", "4");
    // Held at 12 × 0.04662: more than a quarter of the point.
    const task = await client.create("Something slow.", { duration: 12 });
    const second = await client.ask("POST", "", {
      model: videoModel,
      content: [{ type: "text", text: "x" }],
      duration: 12,
    });
    expect([second.status, second.json]).toMatchObject([402, { error: { code: "INSUFFICIENT_BALANCE" } }]);
    await cancelled(client, task);
    expect(await balance()).toBe("1");
    const again = await client.create("A cat.", { duration: 12 });
    await operator(gateway, "org", "shards", id, "--count", "1");
    await client.until(again, "succeed");
    expect(await balance()).toBe("0.44056");
    await operator(gateway, "sweep");
    const last = await client.create("A cat.", { duration: 9 });
    await client.until(last, "succeed");
    expect(await balance()).toBe("0.02098");
  });
});

test("after all of it the audit is clean", async () => {
  await expectCleanAudit(gateway);
});
