/** `npm start` runs its servers and leaves nothing behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo-provider.ts";
import { createTables, startDynamoDb } from "#infra/local/dynamodb.ts";
import { openPersistence } from "#infra/local/persistence.ts";
import type { ReadyFile } from "#infra/local/ready-file.ts";
import { readResources } from "#infra/local/resources.ts";
import { startSecrets } from "#infra/local/secrets.ts";
import { createReader } from "#infra/local/template.ts";
import { awsAt, cleanUp, cleanups } from "./support/local/fixture.ts";
import { template } from "./support/local/template.ts";

afterEach(cleanUp);

test("secrets are served by their ARN", async () => {
  const server = await startSecrets(new Map([["arn:a", "value"]]));
  cleanups.push(server.stop);
  const aws = awsAt({ secretsmanager: server.url });
  expect(await aws("secretsmanager", "GetSecretValue", { SecretId: "arn:a" })).toMatchObject({
    SecretString: "value",
  });
  const unknown = aws("secretsmanager", "GetSecretValue", { SecretId: "arn:b" });
  await expect(unknown).rejects.toMatchObject({ code: "ResourceNotFoundException" });
});

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
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
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

describe("the embedded database", () => {
  test("gets the tables it does not have yet", async () => {
    const database = await startDynamoDb();
    cleanups.push(database.stop);
    const aws = awsAt({ dynamodb: database.endpoint });
    const { tables } = readResources(createReader(template), "/");
    await createTables(aws, tables);
    await createTables(aws, tables);
    expect(await aws("dynamodb", "ListTables", {})).toMatchObject({ TableNames: ["Table1"] });
  });

  test("ends when its owner is killed", async () => {
    const owner = spawn(process.execPath, [join(import.meta.dirname, "support/local/database-owner.ts")]);
    const endpoint = await lineOf(owner.stdout, /http:\S+/);
    expect(await accepts(endpoint)).toBe(true);
    owner.kill("SIGKILL");
    await expect.poll(() => accepts(endpoint), { timeout: 30_000 }).toBe(false);
  });
});

/** Runs the entry of `npm start` until it prints the pattern. Its temporary files are below the folder. */
async function start(folder: string, readyFile: string, env: Record<string, string>, pattern: RegExp) {
  const entry = join(import.meta.dirname, "../infra/local/start.ts");
  const child = spawn(process.execPath, [entry, "--ready-file", readyFile], {
    env: { PATH: process.env["PATH"], PORT: "0", TMPDIR: folder, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanups.push(() => child.kill("SIGKILL"));
  const exit = once(child, "exit");
  await lineOf(child.stdout, pattern);
  return { child, exit, ready: JSON.parse(readFileSync(readyFile, "utf8")) as ReadyFile };
}

test("npm start serves, takes another gateway beside it, and leaves nothing behind on SIGTERM", async () => {
  const folder = mkdtempSync(join(tmpdir(), "start-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const readyFile = join(folder, "ready.json");
  const first = await start(folder, readyFile, {}, /Stream a call/);
  const { url, keys, organizations, endpoints } = first.ready;
  expect(statSync(readyFile).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(organizations)).size).toBe(4);
  const headers = { authorization: `Bearer ${keys.payg}` };
  const balance = async (base: string) =>
    (await fetch(`${base}/api/business/v1/customer/balance`, { headers })).json();
  expect(await balance(url)).toMatchObject({ balance_points: "1000" });

  const second = await start(folder, join(folder, "second.json"), { ATTACH: readyFile }, /another gateway/);
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
  expect(() => statSync(readyFile)).toThrow("ENOENT");
  expect(() => statSync(endpoints.assembly)).toThrow("ENOENT");
});

test("a folder with data has one gateway at a time, and is free once it was killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "start-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const owner = spawn(process.execPath, [
    join(import.meta.dirname, "support/local/folder-owner.ts"),
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
});
