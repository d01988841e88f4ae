/**
 * The server's bundle as a process of its own, on the stand-ins of a running local gateway: under load, drained by
 * SIGTERM, and killed. Whatever becomes of the process, the books close.
 */
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { archiveVariables, startArchive, writeArchive } from "#infra/bundles/server-archive.ts";
import { environmentOf } from "#infra/local/stack/function-environment.ts";
import { readReadyFile } from "#infra/local/stack/ready-file.ts";
import { readResources } from "#infra/local/stack/resources.ts";
import { templateIn } from "#infra/local/stack/synthesis.ts";
import { readTemplate } from "#infra/local/stack/template.ts";
import { connectLocally } from "#infra/operator/connection.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { balanceOf, type LocalGateway, startLocal } from "#test/support/local.ts";
import {
  body,
  catalogAt,
  completion,
  cost,
  customer,
  expectCleanAudit,
  providerKey,
} from "#test/support/money.ts";
import { mutantsIn } from "#test/support/mutants-in.ts";
import { delta, done, sse, streamOf, usageFrame } from "#test/support/scenario.ts";
import { buildServer, type ServerProcess, startServer } from "#test/support/server.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const parts = new AsyncDisposableStack();
const streamBody = JSON.stringify({
  ...JSON.parse(body),
  stream: true,
  stream_options: { include_usage: true },
});

let upstream: Upstream;
let local: LocalGateway;
let start: (more?: Record<string, string>) => Promise<ServerProcess>;
/** Starts it out of an archive, as a task of a service does. */
let startTask: (more?: Record<string, string>) => Promise<ServerProcess>;
let server: ServerProcess;
let buyer: { id: string; key: string };
/** What the customer had before the test. */
let balance: bigint;

beforeAll(async () => {
  upstream = await startUpstream();
  parts.defer(upstream.stop);
  const catalog = catalogAt(upstream.url);
  const { folder, remove } = buildServer(catalog);
  parts.defer(remove);
  // It knows of no product that is broken on purpose.
  expect(mutantsIn(folder)).toEqual([]);
  local = await startLocal({ catalog, env: providerKey });
  parts.defer(async () => void (await local.stop()));
  const { endpoints } = readReadyFile(local.readyFile);
  const { functions } = readResources(readTemplate(templateIn(endpoints.assembly)), endpoints.assembly);
  const front = functions.find(({ hasUrl }) => hasUrl);
  const environment = environmentOf(front?.environment ?? {}, endpoints);
  start = (more = {}) => startServer(folder, { ...environment, ...more });
  const archive = join(folder, "../server.archive");
  const archived = {
    [archiveVariables.sha256]: writeArchive(folder, archive),
    [archiveVariables.file]: archive,
  };
  startTask = (more = {}) => startServer(["-e", startArchive], { ...environment, ...archived, ...more });
  buyer = await customer(local, { points: parsePoints("100") });
});

beforeEach(async () => {
  upstream.reset();
  server = await start();
  balance = await left();
  return () => void server.process.kill("SIGKILL");
});

afterAll(() => parts.disposeAsync());

const post = (sent: string, { url } = server) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${buyer.key}`, "content-type": "application/json" },
    body: sent,
  });

const left = async () => parsePoints(await balanceOf(local, buyer.key));

/** What the customer has paid since, in calls. */
const callsPaid = async () => Number(balance - (await left())) / Number(cost);

/** The provider's answers that have begun, once there are so many. Each stream has sent its first frame. */
function begun(calls: number): Promise<ServerResponse[]> {
  const responses: ServerResponse[] = [];
  return new Promise((resolve) => {
    upstream.on((_, response) => {
      response.writeHead(200, sse).write(delta("Hi"));
      responses.push(response);
      if (responses.length === calls) resolve(responses);
    });
  });
}

test("200 calls over kept connections, 40 at a time: every byte, every point", async () => {
  const chunks = Array.from({ length: 20 }, (_, at) => delta(`${at}`));
  upstream.on((request, response) => {
    if (request.headers.accept === "text/event-stream")
      streamOf(...chunks, usageFrame, done)(request, response);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < 200) {
      const streams = next++ % 2 === 0;
      const reply = await post(streams ? streamBody : body);
      expect(await reply.text()).toBe(
        streams ? chunks.join("") + usageFrame + done : JSON.stringify(completion),
      );
    }
  };
  await Promise.all(Array.from({ length: 40 }, worker));
  expect(await server.end("SIGTERM")).toBe(0);
  expect(await callsPaid()).toBe(200);
});

test("SIGTERM during streams: every byte arrives, everything is settled, and it ends with 0", async () => {
  const open = begun(8);
  const answers = Array.from({ length: 8 }, async () => await (await post(streamBody)).text());
  const providers = await open;
  const ended = server.end("SIGTERM");
  while (!server.lines.some(({ event }) => event === "draining")) await new Promise(setImmediate);
  await expect(post(body)).rejects.toThrow("fetch failed");
  // Some supervisors say it twice.
  const endedAgain = server.end("SIGTERM");
  while (server.lines.filter(({ event }) => event === "draining").length < 2) await new Promise(setImmediate);
  for (const provider of providers) provider.end(delta(" there") + usageFrame + done);
  for (const answer of await Promise.all(answers))
    expect(answer).toBe(delta("Hi") + delta(" there") + usageFrame + done);
  expect([await ended, await endedAgain]).toEqual([0, 0]);
  expect(await callsPaid()).toBe(8);
});

test("kill -9 during calls: what ended is billed, the sweep closes the rest, and the next process serves", async () => {
  upstream.json(completion);
  for (let call = 0; call < 3; call++) expect((await post(body)).status).toBe(200);
  const open = begun(4);
  const cut = Promise.allSettled(
    Array.from({ length: 4 }, async () => await (await post(streamBody)).text()),
  );
  await open;
  expect(await server.end("SIGKILL")).toBe(null);
  expect((await cut).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "rejected"));

  const { aws, tables } = connectLocally(local.readyFile);
  const ledger = createLedger(aws, tables);
  const swept = await sweep(
    { older_than_seconds: 0 },
    {
      accounts: createAccounts(aws, tables),
      meters: createMeters(aws, tables),
      ledger,
      replays: createReplays(aws, tables),
      log: () => {},
      now: Date.now,
    },
  );
  expect(swept).toMatchObject({ seized: 4, estimated: 4, failed: 0 });
  server = await start();
  upstream.json(completion);
  expect((await post(body)).status).toBe(200);
  expect(await server.end("SIGTERM")).toBe(0);
  await expectCleanAudit(local);
  // The calls of all three tests, each once.
  const entries = (await Array.fromAsync(ledger.everyEntry())).filter(({ event }) => event !== null);
  const estimated = entries.filter(({ event }) => event?.source === "sweeper");
  expect([entries.length, estimated.length]).toEqual([200 + 8 + 3 + 4 + 1, 4]);
});

test("a task of a service ends its stream after SIGTERM, and keeps idle connections for as long as it is told", async () => {
  const task = await startTask({ GRACE_SECONDS: "110", KEEP_ALIVE_SECONDS: "310" });
  expect((await fetch(`${task.url}/api/v1/models`)).headers.get("keep-alive")).toBe("timeout=310");
  const open = begun(1);
  const answer = post(streamBody, task).then((reply) => reply.text());
  const [provider] = await open;
  const ended = task.end("SIGTERM");
  while (!task.lines.some(({ event }) => event === "draining")) await new Promise(setImmediate);
  provider?.end(delta(" there") + usageFrame + done);
  expect(await answer).toBe(delta("Hi") + delta(" there") + usageFrame + done);
  expect(await ended).toBe(0);
  expect(await callsPaid()).toBe(1);
});

test("a task whose archive is another one does not start, and says so", async () => {
  await expect(startTask({ [archiveVariables.sha256]: "0".repeat(64) })).rejects.toThrow(
    /ended with 1.*not_started.*the archive is [0-9a-f]{64}/,
  );
});

test("what is thrown outside of a call is logged, and the others are served", async () => {
  const thrower = 'process.on("SIGUSR2", () => { throw new Error("boom"); })';
  const other = await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(thrower)}` });
  other.process.kill("SIGUSR2");
  while (!other.lines.some(({ event }) => event === "internal")) await new Promise(setImmediate);
  expect((await fetch(`${other.url}/api/v1/models`)).status).toBe(200);
  expect(await other.end("SIGTERM")).toBe(0);
});

test.each([
  [{ PORT: "http" }, "PORT=http names no port"],
  [{ PEPPER_SECRET_ARN: "" }, "PEPPER_SECRET_ARN is not set"],
  [{ HOST: "192.0.2.1" }, "EADDRNOTAVAIL"],
])("with %j it does not start, and says why", async (more, reason) => {
  await expect(start(more)).rejects.toThrow(reason);
});
