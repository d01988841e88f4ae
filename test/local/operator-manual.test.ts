/**
 * The operator's manual says what the commands say: its flags are those of the table, and its examples are a session on
 * a local gateway. `MANUAL=write` writes it anew.
 */
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { allGroups, commandsOf } from "#infra/operator/table.ts";
import { createTasks } from "#shared/store/tasks.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { manualOf, marks, type Shown, withoutChance } from "#test/support/manual.ts";
import { completion, post, providerKey } from "#test/support/money.ts";
import { backup, operatedCatalog } from "#test/support/operated.ts";
import { file as pricedCatalog } from "#test/support/price-catalog.ts";
import { modelsDevText } from "#test/support/price-lists.ts";
import { runHere } from "#test/support/streams.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { videoClient } from "#test/support/video-run.ts";

const manual = new URL("../../infra/operator/README.md", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "manual-"));
const groups = await allGroups();

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: operatedCatalog(upstream.url), env: providerKey });
  writeFileSync(join(folder, "catalog.json"), JSON.stringify(pricedCatalog()));
  writeFileSync(join(folder, "api.json"), modelsDevText);
  utimesSync(join(folder, "api.json"), new Date(), new Date("2026-11-18T23:00:00Z"));
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true });
});

const session = new Map<string, Shown[]>();
const names = commandsOf(groups).map(({ words }) => words);

/** Runs a line as the manual shows it. Files are those of `folder`. */
async function type(line: string): Promise<string> {
  const words = line
    .replace(/ \| .*/, "")
    .split(" ")
    .map((word) => (/^\w+\.json$/.test(word) ? join(folder, word) : word.replaceAll("'", "")));
  const isLocal = !/^catalog (?:check|import)/.test(line);
  const place = isLocal ? ["--local", "--ready-file", gateway.readyFile] : [];
  const { code, out, error } = await runHere([...words, ...place]);
  expect([code, error], line).toEqual([0, ""]);
  const name = names.find((each) => `${line} `.startsWith(`${each} `)) ?? "";
  session.set(name, [...(session.get(name) ?? []), { line, output: out.replaceAll(`${folder}/`, "") }]);
  return out;
}

const field = (output: string, name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(output)?.[1] ?? "";

function answer(status: (path: string) => number): void {
  upstream.on(async (request, response) => {
    response
      .writeHead(status(request.url ?? ""), { "content-type": "application/json" })
      .end(JSON.stringify(completion));
  });
}

/** A call that fails over to its second channel. Gives its id once it is booked. */
async function callOver(key: string, isBooked: () => Promise<boolean>): Promise<string> {
  answer((path) => (path.startsWith(`/${backup}/`) ? 200 : 503));
  const reply = await post(gateway.url, key);
  expect(reply.status).toBe(200);
  await reply.text();
  await expect.poll(isBooked, { timeout: 30_000, interval: 200 }).toBe(true);
  return reply.headers.get("x-request-id") ?? "";
}

/** A call that waits for its provider while its hold is looked at. */
async function hold(key: string): Promise<Response> {
  const waits = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  upstream.on(async (_, response) => {
    asked.resolve();
    await waits.promise;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  const reply = post(gateway.url, key);
  await asked.promise;
  await type("holds");
  waits.resolve();
  return await reply;
}

/** Gives the id of an organization with a wallet. */
async function onOrganizations(): Promise<string> {
  const acme = field(await type("org create --name Acme --points 100"), "id");
  const initech = field(await type("org create --name Initech --plan lite --period yearly"), "id");
  await type("org list --name i");
  await type(`org show ${acme}`);
  await type(`org credit ${acme} --points 50 --reference order-1042`);
  await type(`org credit ${acme} --points -5 --reference refund-7`);
  await type(`org credits ${acme}`);
  await type(`org shards ${acme} --count 2`);
  await type(`org freeze ${acme}`);
  await type(`org unfreeze ${acme}`);
  await type(`org grant ${acme} AVG_V2`);
  await type(`org revoke ${acme} AVG_V2`);
  await type(`org plan ${initech} --plan pro --period monthly`);
  await type(`org lapse ${initech} --at 2099-01-01T00:00:00Z`);
  await type(`org renew ${initech}`);
  return acme;
}

async function onCalls(acme: string): Promise<void> {
  const made = await type(`key create --org ${acme} --mode payg --budget-points 20 --budget-period month`);
  const other = await type(`key create --org ${acme} --mode payg --name old`);
  await type(`key revoke ${field(other, "id")} --org ${acme}`);
  await type(`key list --org ${acme}`);
  const key = field(made, "key");
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const range = `--from ${day(0)}T00:00:00Z --to ${day(1)}T00:00:00Z`;
  const place = ["--local", "--ready-file", gateway.readyFile];
  const isBooked = async () =>
    (await runHere(["ledger", "export", ...range.split(" "), ...place])).out.includes("usage");
  await type(`trace ${await callOver(key, isBooked)}`);
  await type("logs upstream_failed --hours 1");
  await type(`ledger export ${range} --org ${acme}`);
  await type("catalog prices --model 'test/*'");
  await (await hold(key)).text();
  await type("sweep");
  await type("seal");
  await type("redrive");
  await onTasks(acme, key);
  await type("audit");
}

/** A task that its provider never ends, and that is then given up as its time would give it up. */
async function onTasks(organization: string, key: string): Promise<void> {
  const id = await videoClient(gateway, key).create("a cat");
  const { aws, tables } = connectLocally(gateway.readyFile);
  const tasks = createTasks(aws, tables);
  const found = async () => await tasks.find(organization, id);
  await expect.poll(async () => (await found())?.submission, { timeout: 30_000 }).toBe("submitted");
  const task = await found();
  if (!task) throw new Error(`there is no task ${id}`);
  expect(await tasks.change(task, { status: "expired" })).toMatchObject({ done: true });
  await type("task list --expired");
  await type(`task resolve ${id} --succeeded --seconds 5`);
}

test("every command is in the manual, as it is and with what it prints", async () => {
  const acme = await onOrganizations();
  await onCalls(acme);
  await type("catalog check catalog.json");
  await type("catalog import --from api.json --catalog catalog.json --model 'openai/*'");
  expect([...session.keys()].sort()).toEqual([...names].sort());

  const made = `${marks.begin}\n\n${manualOf(groups, session)}\n${marks.end}\n`;
  const text = readFileSync(manual, "utf8");
  const [head = ""] = text.split(marks.begin);
  if (process.env.MANUAL === "write") writeFileSync(manual, head + made);
  expect(withoutChance(readFileSync(manual, "utf8"))).toBe(withoutChance(head + made));
}, 180_000);
