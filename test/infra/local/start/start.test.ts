/** `npm start` runs its servers and leaves nothing behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { type ReadyFile, writePrivately } from "#infra/local/stack/ready-file.ts";
import { holdPort, readyFilesOf } from "#infra/local/start/neighbours.ts";
import { openPersistence } from "#infra/local/start/persistence.ts";
import { awsAt, cleanUp, cleanups } from "#test/support/local/fixture.ts";
import { runProgram } from "#test/support/run-program.ts";
import { unassignedPort } from "#test/support/unassigned-port.ts";

afterEach(cleanUp);

const entry = join(import.meta.dirname, "../../../../infra/local/start/start.ts");

describe("the demo provider", () => {
  const call = async (path: string, body: object) => {
    const server = await startDemoProvider({ streamScale: 0.05 });
    cleanups.push(server.stop);
    return await fetch(`${server.url}/acme/${path}`, { method: "POST", body: JSON.stringify(body) });
  };
  const messages = [{ role: "user", content: "ping pong" }];
  const events = async (answer: Response) =>
    [...(await answer.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ""));

  test("answers chat completions, whole and streamed, with the same words and usage", async () => {
    const whole = await (await call("openai/chat/completions", { model: "m", messages })).json();
    const streamed = await call("openai/chat/completions", {
      ...{ model: "m", messages, stream: true, stream_options: { include_usage: true } },
    });
    const chunks = await events(streamed);
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    expect(text).toContain("ping pong");
    expect(whole).toMatchObject({
      model: "m",
      choices: [{ message: { content: text }, finish_reason: "stop" }],
    });
    expect(chunks.at(-1).usage).toEqual((whole as { usage: object }).usage);
  });

  test("answers messages, whole and streamed, with the same words and usage", async () => {
    const request = { model: "m", max_tokens: 12, messages };
    const whole = (await (await call("anthropic/v1/messages", request)).json()) as {
      content: { text: string }[];
      usage: { input_tokens: number; output_tokens: number };
    };
    const streamed = await events(await call("anthropic/v1/messages", { ...request, stream: true }));
    const text = streamed.map(({ delta }) => delta?.text ?? "").join("");
    expect(whole).toMatchObject({ stop_reason: "max_tokens", content: [{ type: "text", text }] });
    expect(whole.usage.output_tokens).toBeLessThanOrEqual(12);
    expect(streamed[0].message.usage.input_tokens).toBe(whole.usage.input_tokens);
    const end = streamed.find(({ type }) => type === "message_delta");
    expect(end.usage.output_tokens).toBe(whole.usage.output_tokens);
  });
});

/** Whether somebody still answers at the address. */
function accepts(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function lineOf(stream: Readable, pattern: RegExp): Promise<string> {
  for await (const line of createInterface(stream)) {
    const [found] = pattern.exec(line) ?? [];
    if (found) return found;
  }
  throw new Error(`the output ended without ${pattern}`);
}

test("the embedded database ends when its owner is killed", async () => {
  const owner = spawn(process.execPath, [
    join(import.meta.dirname, "../../../support/local/database-owner.ts"),
  ]);
  const endpoint = await lineOf(owner.stdout, /http:\S+/);
  expect(await accepts(endpoint)).toBe(true);
  owner.kill("SIGKILL");
  await expect.poll(() => accepts(endpoint)).toBe(false);
});

/** Runs the entry of `npm start` until it prints the pattern. Its temporary files are below the folder. */
async function start(folder: string, readyFile: string, env: Record<string, string>, pattern: RegExp) {
  const child = spawn(process.execPath, [entry, "--ready-file", readyFile], {
    env: { PATH: process.env.PATH, PORT: "0", TMPDIR: folder, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanups.push(() => child.kill("SIGKILL"));
  const exit = once(child, "exit");
  await lineOf(child.stdout, pattern);
  return { child, exit, ready: JSON.parse(readFileSync(readyFile, "utf8")) as ReadyFile };
}

/** Runs `npm start` to its end, which it must come to by itself. */
async function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  cleanups.push(() => child.kill("SIGKILL"));
  const said = { out: "", error: "" };
  child.stdout.on("data", (text) => (said.out += String(text)));
  child.stderr.on("data", (text) => (said.error += String(text)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...said };
}

/** A port that is taken until the test is over. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("npm start says that a port is taken before it builds anything", async () => {
  const folder = mkdtempSync(join(tmpdir(), "start-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const port = await takenPort();
  const { code, out, error } = await run(["--port", String(port)], { TMPDIR: folder });
  expect([code, out]).toEqual([1, ""]);
  expect(error).toContain(`port ${port} is taken by another program. Use another port: npm start -- --port `);
  expect(readdirSync(folder)).toEqual([]);
});

test("npm start explains itself, and refuses what it does not know", async () => {
  const [help, odd] = await Promise.all([run(["--help"]), run(["--prot", "1"])]);
  expect(help).toMatchObject({ code: 0, error: "" });
  for (const word of ["--port N", "--ready-file FILE", "DATA_DIR=DIR", "ASSEMBLY=DIR"])
    expect(help.out).toContain(word);
  expect(odd).toMatchObject({ code: 1, out: "" });
  expect(odd.error).toContain("there is no option --prot; did you mean --port?");
});

describe("beside a gateway that runs", () => {
  /** The known ready file of a gateway at a port. */
  function known(port: number, pid: number): string {
    const folder = mkdtempSync(join(tmpdir(), "start-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    writePrivately(join(folder, "ready.json"), { url: `http://127.0.0.1:${port}`, pid });
    return join(folder, "ready.json");
  }
  const second = "http://127.0.0.1:9999";

  test("another start on its port is told whose the port is", async () => {
    const port = await takenPort();
    await expect(holdPort(port, known(port, process.pid))).rejects.toThrow(
      `port ${port} is taken by a gateway that runs already, at http://127.0.0.1:${port} (process ${process.pid}).`,
    );
  });

  test("another start leaves its ready file alone", async () => {
    const file = known(await takenPort(), process.pid);
    const beside = file.replace("ready.json", "ready-9999.json");
    expect(await readyFilesOf(undefined, file, second)).toEqual({ files: [beside], isKnown: false });
    expect(await readyFilesOf("/own.json", file, second)).toEqual({ files: ["/own.json"], isKnown: false });
  });

  test("that was killed, its ready file is the next one's", async () => {
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "exit");
    const port = await takenPort();
    const release = await holdPort(0, "");
    for (const file of [known(port, dead.pid ?? 0), known(1, process.pid), "/none/ready.json"]) {
      expect(await readyFilesOf(undefined, file, second)).toEqual({ files: [file], isKnown: true });
      expect(await readyFilesOf("/own.json", file, second)).toMatchObject({ files: ["/own.json", file] });
    }
    await release();
  });

  test("a port is held until it is given back", async () => {
    const port = await unassignedPort();
    const release = await holdPort(port, "/none/ready.json");
    await expect(holdPort(port, "/none/ready.json")).rejects.toThrow("is taken");
    await release();
    await (await holdPort(port, "/none/ready.json"))();
  });
});

test("npm start serves, takes another gateway beside it, and leaves nothing behind on SIGTERM", async () => {
  const folder = mkdtempSync(join(tmpdir(), "start-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const readyFile = join(folder, "ready.json");
  const first = await start(folder, readyFile, {}, /Reference /);
  const { url, keys, organizations, endpoints } = first.ready;
  expect(statSync(readyFile).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(organizations)).size).toBe(4);
  const headers = { authorization: `Bearer ${keys.payg}` };
  const balance = async (base: string) =>
    (await fetch(`${base}/api/business/v1/customer/balance`, { headers })).json();
  expect(await balance(url)).toMatchObject({ balance_points: "1000" });

  const page = readFileSync(join(folder, "snippets.md"), "utf8");
  expect(statSync(join(folder, "snippets.md")).mode & 0o777).toBe(0o600);
  const programs = [...page.matchAll(/```js\n(.+?)\n```/gs)].map(([, program = ""]) => program);
  expect([programs.length, page.match(/```py\n/g)?.length]).toEqual([6, 7]);
  expect(page).toContain(`export GATEWAY_KEY=${keys.payg}`);
  const [, ofReadme = ""] = /```js\n(.+?)\n```/s.exec(readFileSync("README.md", "utf8")) ?? [];
  programs.push(ofReadme.replace("http://127.0.0.1:8787", url));
  const said = await Promise.all(programs.map((program) => runProgram(program, keys.payg)));
  expect(said).toEqual(programs.map(() => expect.stringMatching(/Say hello/)));

  const second = await start(
    folder,
    join(folder, "second.json"),
    { ATTACH: readyFile },
    /another gateway runs/,
  );
  expect(second.ready.url).not.toBe(url);
  expect(await balance(second.ready.url)).toEqual(await balance(url));
  second.child.kill("SIGTERM");
  expect(await second.exit).toEqual([0, null]);

  const aws = awsAt({ states: endpoints.states });
  const { executionArn } = await aws("states", "StartExecution", {
    ...{ stateMachineArn: endpoints.videoWorkflowArn, name: "VTK-1" },
    input: JSON.stringify({ task: "VTK-1", organization: organizations.payg }),
  });
  expect(await aws("states", "DescribeExecution", { executionArn })).toMatchObject({ name: "VTK-1" });

  const { dynamodb, sqs, secrets, states, demoProvider } = endpoints;
  const parts = [url, dynamodb, sqs, secrets, states, demoProvider];
  expect(await Promise.all(parts.map(accepts))).toEqual(parts.map(() => true));
  first.child.kill("SIGTERM");
  expect(await first.exit).toEqual([0, null]);
  expect(await Promise.all(parts.map(accepts))).toEqual(parts.map(() => false));
  const left = readdirSync(folder, { encoding: "utf8", recursive: true });
  for (const gone of [readyFile, "snippets.md", endpoints.assembly])
    expect(left.filter((path) => join(folder, path).startsWith(join(folder, basename(gone))))).toEqual([]);
});

// Other systems lock nothing (infra/local/README.md "Platforms").
test.runIf(process.platform === "linux")(
  "a folder with data has one gateway at a time, and is free once it was killed",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const dataDir = join(folder, "data");
    const owner = spawn(process.execPath, [
      join(import.meta.dirname, "../../../support/local/folder-owner.ts"),
      dataDir,
    ]);
    cleanups.push(() => owner.kill("SIGKILL"));
    await lineOf(owner.stdout, /opened/);
    await expect(openPersistence(dataDir)).rejects.toThrow(
      `DATA_DIR=${dataDir} belongs to a gateway that runs`,
    );
    const exit = once(owner, "exit");
    owner.kill("SIGKILL");
    await exit;
    expect(await openPersistence(dataDir)).toMatchObject({ hasState: false });
  },
);
