/** The local stand-ins of Lambda and its function URLs behave as AWS does. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { listen } from "#infra/local/emulators/listen.ts";
import { cleanUp, cleanups, saidErrors, startFixture } from "#test/support/local/fixture.ts";

afterEach(cleanUp);

/** A server the fixtures call; each name's visitor waits until the test lets it pass. */
async function startGate() {
  const visitors = new Map<string, PromiseWithResolvers<ServerResponse>>();
  const visit = (name: string) => {
    const visitor = visitors.get(name) ?? Promise.withResolvers<ServerResponse>();
    visitors.set(name, visitor);
    return visitor;
  };
  const server = createServer((incoming, response) => visit(incoming.url?.slice(1) ?? "").resolve(response));
  const { url, stop } = await listen(server, 0);
  cleanups.push(stop);
  return {
    url,
    /** Waits for the visitor and lets it pass. */
    async pass(name: string) {
      (await visit(name).promise).end();
    },
  };
}

async function open(url: string): Promise<IncomingMessage> {
  const call = request(url).end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return response;
}

/** Sends bytes as they are and gives everything that comes back until the peer closes. */
async function exchange(url: string, bytes: string | Buffer): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(bytes);
  return await text(socket);
}

describe("a function URL", () => {
  test("gives the function an event of payload format 2.0 and applies the prelude", async () => {
    const url = await (await startFixture("echo")).listen(0);
    const answer = await exchange(
      url,
      "POST /v1/a%2Fb%20c?x=1&x=%C3%A9&y HTTP/1.1\r\nHost: example.test\r\nX-Two: one\r\nX-Two: two\r\n" +
        "Cookie: c=3; d=4\r\nUser-Agent: raw\r\nContent-Type: application/json\r\n" +
        'Content-Length: 9\r\nConnection: close\r\n\r\n{"é":1}\n',
    );
    const [head = "", body = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 201 /);
    expect(head.toLowerCase()).toContain("x-own: 1");
    expect(head).toContain("set-cookie: a=1\r\nset-cookie: b=2");
    expect(head.toLowerCase()).toContain("transfer-encoding: chunked");
    const { event, remaining, region } = JSON.parse(body.split("\r\n")[1] ?? "");
    expect(event).toMatchObject({
      version: "2.0",
      routeKey: "$default",
      rawPath: "/v1/a%2Fb%20c",
      rawQueryString: "x=1&x=%C3%A9&y",
      queryStringParameters: { x: "1,é", y: "" },
      cookies: ["c=3", "d=4"],
      body: '{"é":1}\n',
      isBase64Encoded: false,
      requestContext: {
        http: { method: "POST", path: "/v1/a%2Fb%20c", protocol: "HTTP/1.1", userAgent: "raw" },
      },
    });
    expect(event.headers).toMatchObject({ host: "example.test", "x-two": "one,two", "content-length": "9" });
    expect(event.headers).not.toHaveProperty("cookie");
    expect(event.headers).not.toHaveProperty("connection");
    expect(remaining).toBeGreaterThan(0);
    expect(region).toBe("us-east-1");
  });

  test.each([
    ["application/octet-stream", true],
    ["multipart/form-data; boundary=x", true],
    ["application/x-www-form-urlencoded", true],
    ["application/json; charset=utf-8", false],
    ["text/plain", false],
  ])("passes a body of %s with isBase64Encoded %s", async (type, isBase64Encoded) => {
    const url = await (await startFixture("echo")).listen(0);
    const sent = Buffer.from("a\u0000é");
    const answer = await fetch(url, { method: "POST", body: sent, headers: { "content-type": type } });
    const { event } = (await answer.json()) as { event: { body: string; isBase64Encoded: boolean } };
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(event.body, isBase64Encoded ? "base64" : "utf8")).toEqual(sent);
  });

  test("refuses an event over 6 MB, and takes one at the limit", async () => {
    const url = await (await startFixture("echo")).listen(0);
    const send = (bytes: number) =>
      fetch(url, {
        method: "POST",
        body: Buffer.alloc(bytes, "a"),
        headers: { "content-type": "text/plain" },
      });
    expect((await send(6 * 1024 * 1024 + 1)).status).toBe(413);
    expect((await send(6 * 1024 * 1024)).status).toBe(201);
  });

  test("sends each chunk as it is written", async () => {
    const gate = await startGate();
    const url = await (await startFixture("gated")).listen(0);
    const response = await open(`${url}/?gate=${gate.url}`);
    const [first] = (await once(response, "data")) as [Buffer];
    expect(first.toString()).toBe("first");
    // Only now may the function write again: what came before did not wait for it.
    await gate.pass("go-on");
    expect(await text(response)).toBe("second");
  });

  test("lets the function finish when the client has gone", async () => {
    const gate = await startGate();
    const url = await (await startFixture("flood")).listen(0);
    const response = await open(`${url}/?gate=${gate.url}`);
    response.on("error", () => {});
    response.destroy();
    await gate.pass("started");
    await gate.pass("finished");
  });

  test("holds the function back while the client does not read", async () => {
    const gate = await startGate();
    const url = await (await startFixture("flood")).listen(0);
    const response = await open(`${url}/?gate=${gate.url}`);
    response.pause();
    await gate.pass("started");
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length;
    expect(bytes).toBe(401 * 64 * 1024);
    await gate.pass("finished");
  });
});

test("a function is renewed: a call in flight ends where it began, and the next one meets a successor", async () => {
  const local = await startFixture("lasting");
  const url = await local.listen(0);
  const textOf = async (path: string) => await (await fetch(`${url}${path}`)).text();
  const before = await textOf("/");
  const slow = textOf("/slow");
  await pause(100);
  await local.renew();
  const after = await textOf("/");
  expect([await slow, await textOf("/"), after === before]).toEqual([before, after, false]);
});

describe("a function that fails", () => {
  test.each(["/crash", "/destroy"])(
    "is replaced after %s, and a client's next call finds the next",
    async (path) => {
      const url = await (await startFixture("careless")).listen(0);
      for (let round = 0; round < 3; round++) {
        expect((await fetch(url + path)).status).toBe(502);
        expect(await (await fetch(url)).text()).toBe("fine");
      }
    },
  );

  test("answers 502 when it throws before the first byte, says why, and stays", async () => {
    const url = await (await startFixture("careless")).listen(0);
    expect((await fetch(`${url}/throw`)).status).toBe(502);
    await expect.poll(() => saidErrors.join("")).toContain("Error: before the first byte");
    expect(await (await fetch(url)).text()).toBe("fine");
  });

  test("breaks the connection when it throws after the first byte", async () => {
    const url = await (await startFixture("careless")).listen(0);
    await expect(fetch(`${url}/late`).then((answer) => answer.text())).rejects.toThrow();
    expect(await (await fetch(url)).text()).toBe("fine");
  });

  test("tells those whose answer had begun by breaking it off, and all others by 502", async () => {
    const url = await (await startFixture("careless")).listen(0);
    const begun = await Promise.all([open(`${url}/open`), open(`${url}/open`)]);
    for (const response of begun) await once(response, "data");
    const asked = fetch(`${url}/hang`);
    expect((await fetch(`${url}/crash`)).status).toBe(502);
    expect((await asked).status).toBe(502);
    for (const response of begun) await expect(text(response)).rejects.toThrow("aborted");
    expect(await (await fetch(url)).text()).toBe("fine");
  });

  test("loses its prelude when it gives all to end, as on AWS", async () => {
    const url = await (await startFixture("careless")).listen(0);
    const answer = await fetch(`${url}/no-write`);
    expect([answer.status, await answer.text()]).toEqual([200, "lost prelude"]);
  });

  test("is ended when its time is over", async () => {
    const url = await (await startFixture("careless", 1)).listen(0);
    expect((await fetch(`${url}/hang`)).status).toBe(502);
    expect(await (await fetch(url)).text()).toBe("fine");
  });

  test("is refused at start when its bundle does not load", async () => {
    await expect(startFixture("missing")).rejects.toThrow("functions.missing is no function");
  });

  test("rejects the invocation of a batch with what it threw", async () => {
    const local = await startFixture("batch");
    await expect(local.invoke({ Records: [{ body: "throw" }] })).rejects.toThrow("the whole batch");
    expect(await local.invoke({ Records: [] })).toEqual({ batchItemFailures: [] });
  });
});
