/** The program for a terminal, as the console serves it and as people run it, against `npm start`. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { openMembers, type Person } from "#test/support/members.ts";

let gateway: LocalGateway;
let home: string;
let acme: Organization;
let ann: Person;
let olga: Person;

beforeAll(async () => {
  gateway = await startLocal();
  home = await mkdtemp(join(tmpdir(), "terminal-test-"));
  const file = await fetch(`${gateway.console_url}/gateway.mjs`);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  await writeFile(join(home, "gateway.mjs"), await file.text());
  const place = connectLocally(gateway.readyFile);
  const secret = readPeppers(await readSecret(place.aws, place.accountsSecretArn));
  const desk = openMembers(place, { secret });
  desk.clock.now = Date.now();
  acme = await desk.newOrganization();
  await operator(gateway, "org", "credit", acme.id, "--points", "10", "--reference", "first");
  ann = await desk.newMember(acme, "member", "Ann");
  olga = await desk.newMember(acme, "owner", "Olga");
});
afterAll(async () => {
  await gateway?.stop();
  if (home) await rm(home, { recursive: true });
});

const environment = () => ({ PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, "config") });
const kept = () => join(home, "config/model-gateway/sign-ins.json");

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs a command of the program to its end. */
async function run(...words: string[]): Promise<Ran> {
  return await new Promise((resolve) => {
    const program = [join(home, "gateway.mjs"), ...words];
    execFile(process.execPath, program, { env: environment() }, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, out, err });
    });
  });
}

/** What a page of the console asks for somebody. */
async function ask(person: Person, route: string, body?: object) {
  const [method = "", path = ""] = route.split(" ");
  const answer = await fetch(`${gateway.console_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await person.token(acme)}`,
      ...{ "content-type": "application/json", "sec-fetch-site": "same-origin" },
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as { id: string; data: { id: string }[] };
}

/** Signs in as people do: the terminal shows a code, and Ann decides on the page. */
async function signIn(approve: boolean): Promise<Ran> {
  const login = spawn(process.execPath, [join(home, "gateway.mjs"), "login", gateway.console_url], {
    env: environment(),
  });
  const lines: string[] = [];
  let out = "";
  login.stdout.on("data", (data: Buffer) => {
    out += data.toString();
  });
  const ended = new Promise<number>((resolve) => login.on("close", (code) => resolve(code ?? -1)));
  for await (const line of createInterface(login.stderr)) {
    lines.push(line);
    const [, user_code] = /^Code {3}(\S+)$/.exec(line) ?? [];
    if (user_code === undefined) continue;
    const { id } = await ask(ann, "POST /api/v1/auth/device/look", { user_code });
    const choice = approve && { billing_mode: "payg" };
    await ask(ann, "POST /api/v1/auth/device/decide", { user_code, id, approve, ...choice });
  }
  return { code: await ended, out, err: lines.join("\n") };
}

async function callWith(key: string): Promise<number> {
  const { status } = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      model: "openai/gpt-5.4-mini",
      max_tokens: 5,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
  return status;
}

/** Lets the kept key end in a minute, as far as the program knows. */
async function age(): Promise<void> {
  const all = JSON.parse(await readFile(kept(), "utf8")) as { ends_at: number }[];
  for (const each of all) each.ends_at = Date.now() + 60_000;
  await writeFile(kept(), JSON.stringify(all));
}

test("somebody signs in, calls with the key, renews it from four terminals at once, and signs out", async () => {
  expect(await run("key")).toMatchObject({ code: 1, out: "", err: expect.stringContaining("not signed in") });
  const login = await signIn(true);
  expect(login).toMatchObject({ code: 0, out: "" });
  expect(login.err).toContain(`Open   ${gateway.console_url}/device#`);
  expect(login.err).toContain(`The gateway is at ${gateway.url}`);
  expect([(await stat(kept())).mode & 0o777, (await stat(join(kept(), ".."))).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);

  const { out: first } = await run("key");
  expect(first).toMatch(/^sk-payg-\S+\n$/);
  expect(await callWith(first.trim())).toBe(200);
  expect((await run("key", gateway.console_url)).out).toBe(first);

  await age();
  const keys = (await Promise.all([1, 2, 3, 4].map(() => run("key")))).map(({ out }) => out);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).not.toBe(first);
  const [{ refresh_token = "" } = {}] = JSON.parse(await readFile(kept(), "utf8")) as {
    refresh_token: string;
  }[];
  expect(refresh_token.split(".")[2]).toBe("2");
  expect([await callWith(keys[0]?.trim() ?? ""), await callWith(first.trim())]).toEqual([200, 200]);

  expect(await run("logout")).toMatchObject({ code: 0, out: "" });
  expect(await callWith(keys[0]?.trim() ?? "")).toBe(401);
  expect(await readFile(kept(), "utf8")).not.toContain("sk-");
  expect((await run("key")).code).toBe(1);
});

test("who is refused gets no key, and a program that was signed out says so at its next renewal", async () => {
  expect(await signIn(false)).toMatchObject({ code: 1, err: expect.stringContaining("refused") });
  expect((await run("key")).code).toBe(1);

  await signIn(true);
  const { out: key } = await run("key");
  expect(await callWith(key.trim())).toBe(200);
  const gone = await ask(olga, `DELETE /api/v1/members/${ann.user.id}`);
  expect(gone).toMatchObject({ keys_ended: [expect.stringMatching(/^key_/)] });
  expect(await callWith(key.trim())).toBe(401);
  await age();
  expect(await run("key")).toMatchObject({ code: 1, out: "", err: expect.stringContaining("Sign in: ") });
});

test("it signs in at consoles alone, over HTTPS or on this machine, and says what it does", async () => {
  for (const [address, words] of [
    ["http://console.example", "must begin with https"],
    ["http://", "is no address"],
    [gateway.url, "answers with 404"],
    ["http://127.0.0.1:9", "does not answer"],
  ] as const)
    expect(await run("login", address)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining(words),
    });
  expect(await run("login")).toMatchObject({ code: 1, err: expect.stringContaining("Name the console") });
  expect(await run("help")).toMatchObject({ code: 0, err: expect.stringContaining("login CONSOLE") });
  expect((await run("other")).code).toBe(2);
});
