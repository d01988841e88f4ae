/** kill −9 with tasks in every phase, and tasks whose time runs out: each ends, is sent once and billed once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { catalogAt, expectCleanAudit, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { withVideo } from "#test/support/video.ts";
import { buyer, keptTask, nullFilled, videoClient } from "#test/support/video-run.ts";

const dataDir = mkdtempSync(join(tmpdir(), "video-kill-"));
let upstream: Upstream;
let gateway: LocalGateway | undefined;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(async () => {
  await gateway?.stop();
  await upstream.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Five seconds at 0.09. */
const price = parsePoints("0.45");

/** A provider whose tasks are named after their prompts, and do as those say until it is told to go on. */
function play(provider: Upstream) {
  const sent: string[] = [];
  const state = { goesOn: false };
  provider.on((request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.method === "POST") {
      const { content } = JSON.parse(String(provider.requests.at(-1)?.body)) as {
        content: { text: string }[];
      };
      const name = content[0]?.text ?? "";
      sent.push(name);
      if (name.startsWith("silent")) return;
      if (name === "busy" && !state.goesOn) answer(429, {});
      else answer(200, { id: name });
      return;
    }
    const name = request.url?.split("/").at(-1) ?? "";
    const rendering = {
      id: name,
      duration: 5,
      resolution: "720p",
      content: { video_url: "https://videos.example/1.mp4" },
    };
    if (name === "stuck") answer(200, { ...rendering, status: "running" });
    else
      answer(200, {
        ...rendering,
        status: state.goesOn ? "succeeded" : name === "running" ? name : "queued",
      });
  });
  return { sent, state };
}

const start = (scale: string, env: Record<string, string> = {}) =>
  startLocal({
    catalog: withVideo(catalogAt(upstream.url), upstream.url),
    dataDir,
    env: { ...providerKey, TASK_WAIT_SCALE: scale, ...env },
  });
/** The gateway that runs now. */
function here(): LocalGateway {
  if (!gateway) throw new Error("none runs");
  return gateway;
}
const order = (text: string) => nullFilled(text, { model: "test/video-1" });

test("every task ends after its gateway was killed; what nobody can know expires and is resolved", async () => {
  const { sent, state } = play(upstream);
  // The first look after a second, the next after two and a half more: the kill comes between them.
  gateway = await start("0.5");
  const { id, key, client } = await buyer(gateway);
  const names = ["busy", "queued", "running", "stuck", "silent 1", "silent 2"];
  const ids = await Promise.all(names.map((name) => client.create(name, { model: "test/video-1" })));
  const [busy = "", queued = "", running = "", stuck = "", ...silent] = ids;
  await client.until(running, "running");
  await client.until(stuck, "running");
  const kept = async (task: string) => {
    const { status, submission } = await keptTask(here(), id, task);
    return [status, submission];
  };
  const phases = async () => await Promise.all([busy, queued, running, ...silent].map(kept));
  const before = [
    ...[
      ["queued", "unsubmitted"],
      ["queued", "submitted"],
      ["running", "submitted"],
    ],
    ...[
      ["queued", "submitting"],
      ["queued", "submitting"],
    ],
  ];
  await expect.poll(phases).toEqual(before);
  const rushed = Array.from({ length: 8 }, (_, each) => client.ask("POST", "", order(`rushed ${each}`)));
  await Promise.race(rushed);
  await gateway.stop("SIGKILL");
  const seen = (await Promise.allSettled(rushed)).flatMap((call) =>
    call.status === "fulfilled" ? [String(call.value.json.id)] : [],
  );
  expect(seen.length).toBeGreaterThan(0);

  state.goesOn = true;
  gateway = await start("0.02");
  const again = videoClient(gateway, key);
  for (const task of [busy, queued, running])
    expect(await again.until(task), task).toMatchObject({ status: "succeed" });
  // One of the rush that was being sent when the process died is as those without an answer.
  const rest = await Promise.all(seen.map(async (task) => ({ task, submission: (await kept(task))[1] })));
  for (const { task, submission } of rest)
    if (submission !== "submitting") await again.until(task, "succeed");
  // Sent without an answer: it may be there, so it is never sent again.
  for (const task of silent) expect(await kept(task)).toEqual(["queued", "submitting"]);
  const early = await operator(gateway, "task", "resolve", stuck, "--failed");
  expect([early.code, early.error]).toEqual([2, expect.stringContaining("awaits no verdict")]);
  await gateway.stop("SIGKILL");

  gateway = await start("0.02", { TASK_LIFETIME_SECONDS: "1" });
  const last = videoClient(gateway, key);
  for (const task of [stuck, ...silent]) expect(await last.until(task)).toMatchObject({ status: "expired" });
  const [first = "", second = ""] = silent;
  const resolve = (...words: string[]) => operator(here(), "task", "resolve", ...words);
  expect((await resolve(stuck, "--succeeded")).value).toMatchObject({ id: stuck, settled: true });
  expect((await resolve(first, "--succeeded", "--seconds", "3")).code).toBe(0);
  expect((await resolve(first, "--failed")).error).toContain(first);
  const awaiting = (await operator(gateway, "task", "list", "--expired")).value as unknown as {
    id: string;
  }[];
  expect(awaiting.map((task) => task.id)).toContain(second);
  for (const task of awaiting) expect((await resolve(task.id, "--failed")).code).toBe(0);
  expect((await operator(gateway, "task", "list")).value).toEqual([]);
  expect(await last.get(first)).toMatchObject({ status: "expired" });
  const costOf = async (task: string) => (await last.fetch(`/api/v1/requests/${task}`)).cost_points;
  expect([await costOf(stuck), await costOf(first), await costOf(second)]).toEqual(["0.45", "0.27", "0"]);

  await expectCleanAudit(gateway);
  const { aws, tables } = connectLocally(gateway.readyFile);
  const entries = (await Array.fromAsync(createLedger(aws, tables).everyEntry())).filter(
    (entry) => entry.organization === id && entry.kind === "usage",
  );
  // Of the rush also those whose client saw no answer may be there, and then they were made and paid.
  const paid = entries.filter(({ points }) => points === "0.45").length;
  expect(paid).toBeGreaterThanOrEqual(4 + seen.length - (awaiting.length - 1));
  expect(paid + awaiting.length + 1).toBe(entries.length);
  const spent = BigInt(paid) * price + parsePoints("0.27");
  const { balance_points } = await last.fetch("/api/business/v1/customer/balance");
  expect(balance_points).toBe(formatPoints(parsePoints("10") - spent));
  const once = sent.filter((name) => name !== "busy");
  expect(new Set(once).size).toBe(once.length);
});
