/** The console of a local gateway: a function URL whose answers are whole, its port, and what its function is told. */
import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { openBufferedUrl } from "#infra/local/emulators/buffered-url.ts";
import type { LocalFunction } from "#infra/local/emulators/lambda.ts";
import { listen } from "#infra/local/emulators/listen.ts";
import type { FunctionResource } from "#infra/local/stack/resources.ts";
import { consoleAddresses, openConsole, type Serving } from "#infra/local/start/console.ts";
import { variables } from "#shared/base/platform/env.ts";
import { cleanUp, cleanups, startFixture } from "#test/support/local/fixture.ts";
import { unassignedPort } from "#test/support/unassigned-port.ts";

afterEach(cleanUp);

async function openWhole() {
  const failed: unknown[] = [];
  const { url, stop } = await openBufferedUrl(await startFixture("whole"), 0, (error) => failed.push(error));
  cleanups.push(stop);
  return { url, failed };
}

describe("a function URL whose answers are whole", () => {
  test("gives the function the event of a request, with its cookies apart and the address it came from", async () => {
    const { url } = await openWhole();
    const answer = await fetch(`${url}/api/v1/a%2Fb?x=1`, {
      method: "POST",
      headers: {
        cookie: "__Host-session=abc; d=4",
        "content-type": "application/x-www-form-urlencoded",
        "x-forwarded-for": "203.0.113.9",
      },
      body: "a=1&a=2",
    });
    const { event } = (await answer.json()) as { event: Record<string, never> };
    expect(event).toMatchObject({
      rawPath: "/api/v1/a%2Fb",
      cookies: ["__Host-session=abc", "d=4"],
      body: Buffer.from("a=1&a=2").toString("base64"),
      isBase64Encoded: true,
      requestContext: { http: { method: "POST", sourceIp: "127.0.0.1" } },
    });
  });

  test("sends bytes that come as base64, every cookie, and how long the answer is", async () => {
    const { url } = await openWhole();
    const answer = await fetch(`${url}/?picture`);
    expect([answer.status, answer.headers.get("x-own"), answer.headers.get("content-length")]).toEqual([
      ...[201, "1", "3"],
    ]);
    expect(answer.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 128]);
  });

  test("sends a result that is no answer as JSON, as AWS does", async () => {
    const { url } = await openWhole();
    const answer = await fetch(`${url}/?value`);
    expect([answer.headers.get("content-type"), await answer.json()]).toEqual([
      "application/json",
      { reconciled: 3 },
    ]);
  });

  test.each(["throw", "large"])("answers 502 where the function fails: %s", async (how) => {
    const { url, failed } = await openWhole();
    const answer = await fetch(`${url}/?${how}`);
    expect([answer.status, await answer.json()]).toEqual([502, { message: "Internal Server Error" }]);
    expect(failed).toHaveLength(1);
    expect((await fetch(`${url}/?value`)).status).toBe(200);
  });
});

describe("the console", () => {
  const found = { name: "Console", hasBufferedUrl: true } as FunctionResource;
  const resources = { functions: [{ name: "Gateway", hasBufferedUrl: false } as FunctionResource, found] };
  const echo: LocalFunction = {
    invoke: async () => ({ answered: true }),
    listen: () => Promise.reject(new Error("the port is not its own")),
    renew: async () => {},
    stop: async () => {},
  };
  const ready: Serving = { functions: new Map([["Console", echo]]), onRequest: async () => {} };
  const open = async (more: { port?: number; consolePort?: number; serving?: Promise<Serving> }) => {
    const serving = more.serving ?? Promise.resolve(ready);
    const options = { resources, port: 0, consolePort: undefined, warn() {}, ...more, serving };
    const opened = await openConsole(options);
    cleanups.push(opened.stop);
    return opened;
  };

  test("takes the second port after the gateway's, and another one where that is taken", async () => {
    const taken = await listen(createServer(), 0);
    cleanups.push(taken.stop);
    const first = await open({ port: taken.port - 2 });
    expect(first.port).not.toBe(taken.port);
    await expect(open({ consolePort: taken.port })).rejects.toThrow(`port ${taken.port} is taken`);
    const port = await unassignedPort();
    expect((await open({ port: port - 2 })).port).toBe(port);
  });

  test("lets a request wait until the gateway answers, whose address its function is told", async () => {
    const serving = Promise.withResolvers<Serving>();
    const { url } = await open({ serving: serving.promise });
    const answer = fetch(url);
    serving.resolve(ready);
    expect(await (await answer).json()).toEqual({ answered: true });
    const standIns = { inbox: "http://127.0.0.1:9", identityProvider: "http://127.0.0.1:10" };
    expect(consoleAddresses("http://127.0.0.1:8787", url, standIns)).toEqual({
      [variables.gatewayUrl]: "http://127.0.0.1:8787/",
      [variables.notifyBase]: url,
      [variables.inboxUrl]: "http://127.0.0.1:9",
      [variables.mailFrom]: "codes@localhost.example",
      [variables.mailEndpoint]: "http://127.0.0.1:9",
      [variables.signOnSandbox]: "http://127.0.0.1:10",
    });
  });
});
