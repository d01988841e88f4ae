/** The manual says what the commands say, with a session on a local gateway as examples. `npm run pages` writes it. */
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logBytes } from "#infra/cost/units.ts";
import { readReadyFile } from "#infra/local/stack/ready-file.ts";
import { connectLocally } from "#infra/operator/connection.ts";
import { allGroups, commandsOf } from "#infra/operator/table.ts";
import { permissions } from "#infra/resources/operator-permissions.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { expectPage } from "#test/house/pages/page.ts";
import { type Recorded, recordAws } from "#test/local/recorded-aws.ts";
import { openShopper, type Shopper } from "#test/local/shopper.ts";
import { taxId } from "#test/support/invoices.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { manualOf, type Shown, shellWords, withoutChance } from "#test/support/manual.ts";
import { completion, post, providerKey } from "#test/support/money.ts";
import { putWebhook } from "#test/support/news.ts";
import { backup, channelLines, comeAndGo, dearerCatalog, operatedCatalog } from "#test/support/operated.ts";
import { giveOwnKey } from "#test/support/own-keys.ts";
import { file as pricedCatalog } from "#test/support/price-catalog.ts";
import { modelsDevText } from "#test/support/price-lists.ts";
import { putDirectoryToken } from "#test/support/scim.ts";
import { runHere } from "#test/support/streams.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { closeLines, onBills, vendorUsage } from "#test/support/vendor-bill.ts";
import { videoClient } from "#test/support/video-run.ts";

const folder = mkdtempSync(join(tmpdir(), "manual-"));
const groups = await allGroups();

let upstream: Upstream;
let gateway: LocalGateway;
let recorded: Recorded;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startLocal({ catalog: operatedCatalog(upstream.url), env: providerKey });
  recorded = await recordAws(gateway.readyFile, folder);
  writeFileSync(join(folder, "catalog.json"), JSON.stringify(withListedPrice()));
  writeFileSync(join(folder, "dearer.json"), JSON.stringify(dearerCatalog(upstream.url)));
  writeFileSync(join(folder, "lists.json"), JSON.stringify(declared));
  writeFileSync(join(folder, "usage.json"), JSON.stringify(vendorUsage));
  writeFileSync(join(folder, "api.json"), modelsDevText);
  utimesSync(join(folder, "api.json"), new Date(), new Date("2026-11-18T23:00:00Z"));
});
afterAll(async () => {
  await recorded?.stop();
  await gateway?.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true });
});

/** A catalog in which a list has set one price. */
function withListedPrice() {
  const { models, ...rest } = pricedCatalog();
  const price_source = { source: "https://models.dev/api.json", as_of: "2026-07-01" };
  return {
    ...rest,
    models: models.map((model) => (model.id === "openai/luna" ? { ...model, price_source } : model)),
  };
}
const declared = {
  lists: [{ name: "models.dev", from: "api.json" }],
  vendors: { gemini: { models: ["gemini-emb*"] } },
};

const session = new Map<string, Shown[]>();
/** What a session can show. A command for deployed stages alone is in the manual without one. */
const names = commandsOf(groups)
  .filter(({ only }) => only !== "stage")
  .map(({ words }) => words);
const used = new Map<string, Set<string>>();

/**
 * Runs a line as the manual shows it. Files are those of `folder`. `input` is its standard input, which the line takes
 * from a file. A line that is refused, with `code`, prints why. One that
 * finds a difference ends with 3.
 */
async function type(line: string, { input, code: expected = 0 }: Expected = {}): Promise<string> {
  const words = shellWords(line).map((word) => (/^\w+\.json$/.test(word) ? join(folder, word) : word));
  const isLocal = !/^(?:catalog (?:check|import|sync)|cost) /.test(line);
  const place = isLocal ? ["--local", "--ready-file", recorded.readyFile] : [];
  recorded.take();
  const { code, out, error } = await runHere([...words, ...place], {}, input);
  expect([code, error === ""], line).toEqual([expected, expected === 0 || expected === 3]);
  const name = names.find((each) => `${line} `.startsWith(`${each} `)) ?? "";
  used.set(name, new Set([...(used.get(name) ?? []), ...recorded.take()]));
  session.set(name, [
    ...(session.get(name) ?? []),
    { line, output: (out + error).replaceAll(/(?<![:/])\/\S+\/(?=\w+\.(?:json|txt))/g, "") },
  ]);
  return out;
}

interface Expected {
  input?: string;
  code?: number;
}

const field = (output: string, name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(output)?.[1] ?? "";

/** The day of UTC that is so many days from now. */
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

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
  await expect.poll(isBooked, { interval: 200 }).toBe(true);
  return reply.headers.get("x-request-id") ?? "";
}

/** A call's own log line is as long as `operator cost` takes it for. It differs with names and digits. */
function expectLogBytes(request: string): void {
  const lines = readFileSync(readReadyFile(gateway.readyFile).endpoints.log, "utf8").split("\n");
  const own = lines.find((line) => line.includes('"event":"call"') && line.includes(request)) ?? "";
  expect(Buffer.byteLength(`${own}\n`)).toBeGreaterThan(0.8 * logBytes);
  expect(Buffer.byteLength(`${own}\n`)).toBeLessThan(1.1 * logBytes);
}

/** A call that waits for its provider while its hold is looked at. */
async function hold(key: string): Promise<Response> {
  const [waits, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
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
  for (const what of ["list --name i", `show ${acme}`, `auto-top-up ${acme}`]) await type(`org ${what}`);
  for (const of of ["50 --reference order-1042", "-5 --reference refund-7"])
    await type(`org credit ${acme} --points ${of}`);
  await type(`org budget ${acme} --level project --of search --points 50 --period month`);
  await type(`org wallet-thresholds ${acme} --points 50 --days none`);
  await type(`org policy ${acme} --level project --of search --models openai/*`);
  await giveOwnKey(connectLocally(gateway.readyFile), acme);
  for (const kind of ["credits", "budgets", "policies", "provider-keys"]) await type(`org ${kind} ${acme}`);
  await type(`org remove-provider-key ${acme} --provider test`);
  await type(`org webhooks ${await putWebhook(connectLocally(gateway.readyFile), acme)} --disable`);
  for (const words of ["create --name 'Search team'", "change search-team --status archived", "list"])
    await type(`project ${words} --org ${acme}`);
  await type(`org shards ${acme} --count 2`);
  await putDirectoryToken(connectLocally(gateway.readyFile), acme);
  for (const what of ["freeze", "unfreeze", "sign-on", "provisioning"]) await type(`org ${what} ${acme}`);
  for (const what of ["grant", "revoke"]) await type(`org ${what} ${acme} AVG_V2`);
  await type(`org sign-on ${acme} --optional`);
  await type(`org provisioning ${acme} --off`);
  await type(`id give vs_68a1f0 --org ${acme} --provider test`);
  await type(`org plan ${initech} --plan pro --period monthly`);
  for (const what of [`lapse ${initech} --at 2099-01-01T00:00:00Z`, `renew ${initech}`])
    await type(`org ${what}`);
  return acme;
}

/** Somebody signs up at the console. */
async function onUsers(): Promise<Shopper> {
  const phone = "+8613912345678";
  const ann = await openShopper(gateway, phone, "Ann");
  for (const words of [`user show ${phone}`, `org news ${ann.organization}`]) await type(words);
  for (const what of ["freeze", "unfreeze"]) await type(`user ${what} ${ann.user}`);
  for (const what of ["raise --messages 500", "status"]) await type(`sms ${what}`);
  return ann;
}

/**
 * Orders that are paid in the sandbox: three rightly, and one by another amount than was asked for. That one is dismissed:
 * a credit would be booked by the next run of the reconciler, whenever that comes.
 */
async function onOrders({ order, organization }: Shopper): Promise<string[]> {
  const [first, second] = [await order("100.00", "pay"), await order("50.00", "pay")];
  const doubted = await order("20.00", "pay_another_amount");
  await type("order list --state review");
  await type(`order list --org ${organization} --format csv`);
  await type(`order show ${doubted}`);
  await type(`order review ${doubted} --decision dismiss`);
  const third = await order("30.00", "pay");
  await type(`order refund ${third} --amount 10.00 --reason mistake`);
  await type(`order totals --from ${day(0)} --to ${day(1)}`);
  return [first, second];
}

/** What Ann asks invoices for: one is issued and voided, the other rejected. */
async function onInvoices(
  { ask, organization }: Shopper,
  [first = "", second = ""]: string[],
): Promise<void> {
  const title = { kind: "company", name: "某某科技有限公司", tax_id: taxId };
  const request = (order: string) =>
    ask("POST /api/v1/invoices", { orders: [order], title, email: "finance@example.com" });
  const [issued, rejected] = [(await request(first)).id, (await request(second)).id];
  // The index by which the waiting ones are found follows the table.
  const place = ["--local", "--ready-file", gateway.readyFile];
  const waiting = async () => (await runHere(["invoice", "list", ...place])).out;
  await expect.poll(waiting).toContain(rejected);
  await type("invoice list");
  await type(`invoice show ${issued}`);
  await type(`invoice issue ${issued} --file 26952000000012345678`);
  await type(`invoice reject ${rejected} --reason 'the tax id is not of this company'`);
  await type(`invoice void ${issued} --reason 'credit note 26952000000012345679'`);
  await type(`invoice list --org ${organization}`);
}

async function onCalls(acme: string): Promise<void> {
  const made = await type(`key create --org ${acme} --mode payg --budget-points 20 --budget-period month`);
  const other = await type(`key create --org ${acme} --mode payg --name old`);
  await type(`key change ${field(made, "id")} --org ${acme} --allow-drop tools --budget-points 30`);
  for (const what of ["rotate", "disable", "enable", "revoke"])
    await type(`key ${what} ${field(other, "id")} --org ${acme}`);
  await type(`key list --org ${acme}`);
  const key = field(made, "key");
  const range = `--from ${day(0)}T00:00:00Z --to ${day(1)}T00:00:00Z`;
  const place = ["--local", "--ready-file", gateway.readyFile];
  const isBooked = async () =>
    (await runHere(["ledger", "export", ...range.split(" "), ...place])).out.includes("usage");
  const called = await callOver(key, isBooked);
  expectLogBytes(called);
  for (const line of [`trace ${called}`, "logs upstream_failed --hours 1"]) await type(line);
  for (const what of ["ledger export", "forecast --catalog dearer.json", "margin --by provider"])
    await type(`${what} ${range} --org ${acme}`);
  await onBills(type);
  await (await hold(key)).text();
  for (const what of ["sweep", "seal", "redrive", "catalog prices --model 'test/*'"]) await type(what);
  await onTasks(acme, key);
  for (const line of ["audit", ...closeLines]) await type(line);
}

/** A task that its provider never ends, and that is then given up as its time would give it up. */
async function onTasks(organization: string, key: string): Promise<void> {
  const id = await videoClient(gateway, key).create("a cat");
  const { aws, tables } = connectLocally(gateway.readyFile);
  const tasks = createTasks(aws, tables);
  const found = async () => await tasks.find(organization, id);
  await expect.poll(async () => (await found())?.submission).toBe("submitted");
  const task = await found();
  if (!task) throw new Error(`there is no task ${id}`);
  expect(await tasks.change(task, { status: "expired" })).toMatchObject({ done: true });
  await type("task list --expired");
  await type(`task resolve ${id} --succeeded --seconds 5`);
}

/** A rotation that has just begun. A new key of a provider comes after all calls that need the old one. */
async function onSecrets(): Promise<void> {
  for (const what of ["rotate", "status"]) await type(`pepper ${what}`);
  await type("pepper drop", { code: 2 });
  await type("accounts rotate");
  await type("accounts status");
  await type("accounts drop", { code: 2 });
  await type("sms status");
  await type("secret put ARK_API_KEY < key.txt", { input: "a-key-that-nobody-takes\n" });
  const sms = { service: "inbox", url: "http://127.0.0.1:9/sms" };
  await type("secret put sms < sms.json", { input: JSON.stringify(sms) });
  for (const what of ["list", "remove ARK_API_KEY"]) await type(`secret ${what}`);
}

/** What a command used of AWS, as the operator's role must allow it. Of a gateway here `doctor` asks other things. */
function expectPermissions(): void {
  expect(Object.keys(permissions).toSorted()).toEqual(names.toSorted());
  const others = names.filter((name) => name !== "doctor");
  const ofEach = (usesOf: (name: (typeof others)[number]) => Iterable<string>) =>
    Object.fromEntries(others.map((name) => [name, [...usesOf(name)].sort()]));
  expect(ofEach((name) => used.get(name) ?? [])).toEqual(ofEach((name) => permissions[name]?.uses ?? []));
}

test("every command is in the manual, as it is and with what it prints", async () => {
  for (const line of ["doctor", ...channelLines]) await type(line);
  const acme = await onOrganizations();
  const ann = await onUsers();
  await onInvoices(ann, await onOrders(ann));
  await onCalls(acme);
  await onSecrets();
  await type("catalog import --from api.json --catalog catalog.json --model 'openai/*'");
  await type("catalog sync --catalog catalog.json", { code: 3 });
  await comeAndGo(type);
  await type("cost --calls-per-second 10 --seconds 5 --model openai/gpt-5.4-mini");
  expect([...session.keys()].sort()).toEqual([...names].sort());
  expectPermissions();

  expectPage("infra/operator/manual.md", manualOf(groups, session), withoutChance);
});
