/** A web page gets nothing of the stand-ins: it is seen by its origin, or by the name that led it to this machine. */
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { startDynamoDb } from "#infra/local/emulators/dynamodb.ts";
import { isOfThisMachine, openDoor } from "#infra/local/emulators/loopback.ts";
import { startSecrets } from "#infra/local/emulators/secrets.ts";
import { startSqs } from "#infra/local/emulators/sqs.ts";
import { startStepFunctions } from "#infra/local/emulators/step-functions.ts";
import { awsAt, cleanUp, cleanups } from "#test/support/local/fixture.ts";
import { startPaymentPlatform } from "#test/support/payment-platform.ts";

afterEach(cleanUp);

/** Sends the bytes of a request and gives the whole answer. */
async function send(url: string, head: string, headers: Record<string, string>, body = ""): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const all = { host, connection: "close", "content-length": String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${head} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  return await text(socket);
}

const servers: Record<string, () => Promise<string>> = {
  async database() {
    const database = await startDynamoDb();
    const door = await openDoor(database.endpoint);
    cleanups.push(database.stop, door.stop);
    return door.url;
  },
  async queue() {
    const { endpoint, stop } = await startSqs();
    cleanups.push(stop);
    return endpoint;
  },
  async secrets() {
    const { url, stop } = await startSecrets(new Map());
    cleanups.push(stop);
    return url;
  },
  async "state machine"() {
    const { url, stop } = await startStepFunctions(
      { stateMachines: [], eventRules: [] },
      { invoke: async () => undefined, scale: 1, warn: () => {} },
    );
    cleanups.push(stop);
    return url;
  },
  async "sandbox of payments"() {
    const { url, stop } = await startPaymentPlatform({ notifyUrl: () => "" });
    cleanups.push(stop);
    return url;
  },
  async "demo provider"() {
    const { url, stop } = await startDemoProvider();
    cleanups.push(stop);
    return url;
  },
};

describe.each(Object.keys(servers))("the %s", (name) => {
  test("refuses the preflight of a page, its simple request, and a name that leads here", async () => {
    const url = (await servers[name]?.()) ?? "";
    const page = { origin: "https://evil.example" };
    const asked = {
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-amz-target,authorization",
    };
    const answers = [
      await send(url, "OPTIONS /", { ...page, ...asked }),
      await send(url, "POST /", { ...page, "content-type": "text/plain" }, "{}"),
      await send(url, "POST /", { origin: "null", "content-type": "text/plain" }, "{}"),
      await send(
        url,
        "POST /",
        { host: "evil.example", "x-amz-target": "DynamoDB_20120810.ListTables" },
        "{}",
      ),
      await send(url, "GET /", { host: "127.0.0.1.evil.example" }),
    ];
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(answer).not.toMatch(/access-control-allow/i);
    }
    const own = await send(url, "POST /", { "content-type": "application/x-amz-json-1.0" }, "{}");
    expect(own).not.toMatch(/^HTTP\/1\.1 403 /);
  });
});

test("the door of the database passes requests and answers on", async () => {
  const database = await startDynamoDb();
  const door = await openDoor(database.endpoint);
  cleanups.push(database.stop, door.stop);
  const aws = awsAt({ dynamodb: door.url });
  expect(await aws("dynamodb", "ListTables", {})).toEqual({ TableNames: [] });
  await expect(aws("dynamodb", "DescribeTable", { TableName: "none" })).rejects.toMatchObject({
    code: "ResourceNotFoundException",
  });
});

// Other systems have one address (infra/local/README.md "Platforms").
test.runIf(process.platform === "linux")(
  "the database itself is at an address of its own, which a page would have to guess",
  async () => {
    const places = await Promise.all([startDynamoDb(), startDynamoDb()]);
    cleanups.push(...places.map(({ stop }) => stop));
    const [first, second] = places.map(({ endpoint }) => new URL(endpoint));
    expect(first?.hostname).not.toBe(second?.hostname);
    for (const { hostname, port } of [first, second].filter((each) => each !== undefined)) {
      expect(hostname).toMatch(/^127\.\d+\.\d+\.\d+$/);
      const socket = connect(Number(port), "127.0.0.1");
      await expect(text(socket)).rejects.toThrow("ECONNREFUSED");
    }
  },
);

test("loopback has three names, with any port", () => {
  const of = (host: string | undefined, origin?: string) =>
    isOfThisMachine({ ...(host && { host }), ...(origin !== undefined && { origin }) });
  const names = ["127.0.0.1", "localhost", "[::1]", "localhost:8787"];
  expect(names.filter((name) => !of(name) || !of(name, `http://${name}`))).toEqual([]);
  const others = [
    undefined,
    "",
    "evil.example",
    "localhost.evil.example",
    "evil.example:127",
    "127.0.0.1@evil",
  ];
  expect(others.filter((name) => of(name))).toEqual([]);
  const pages = [
    "",
    "null",
    "https://evil.example",
    "http://localhost.evil.example",
    "file://",
    "http://127.0.0.1@evil",
  ];
  expect(pages.filter((page) => of("localhost", page))).toEqual([]);
});
