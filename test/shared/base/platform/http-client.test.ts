/** The HTTP client's phases: what a caller may assume was sent, and that no wait is without an end. */
import { getEventListeners, once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OutgoingRequest } from "#shared/base/platform/http-client.ts";
import { httpClientNames, httpClients } from "#test/support/http-clients.ts";

let client: Awaited<ReturnType<(typeof httpClients)["the package"]>>;
let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener?: RequestListener): Promise<string> {
  sockets.clear();
  server = createServer(listener).on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const ask = (url: string, change: Partial<OutgoingRequest> = {}) =>
  client.send({
    method: "POST",
    url,
    headers: {},
    body: "x",
    connectMs: 5_000,
    firstByteMs: 5_000,
    idleMs: 5_000,
    ...change,
  });

/** A connection can be used again two turns after its answer. */
async function untilPooled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await setImmediate();
}

/** The phase in which a call failed. */
const phaseOf = (call: Promise<unknown>) =>
  call.then(
    () => "answered",
    (error: unknown) => (error instanceof client.TransportError ? error.phase : error),
  );

describe.each(httpClientNames)("over %s", (name) => {
  beforeAll(async () => {
    client = await httpClients[name]();
  });

  test("a refused connection: nothing was sent", async () => {
    const url = await serve();
    server?.close();
    await once(server as Server, "close");
    expect(await phaseOf(ask(url))).toBe("connect");
  });

  test("no answer in time: the peer may have acted", async () => {
    const url = await serve(() => {});
    expect(await phaseOf(ask(url, { firstByteMs: 50 }))).toBe("sent");
  });

  test("a body that stops is cut", async () => {
    const url = await serve((_, response) => response.write("begun"));
    const reply = await ask(url, { idleMs: 50 });
    expect(await phaseOf(client.readAll(reply, 1_000))).toBe("sent");
  });

  test("a body over its bound is not read to its end", async () => {
    const url = await serve((_, response) => response.end("x".repeat(2_000)));
    await expect(client.readAll(await ask(url), 1_000)).rejects.toThrow("over 1000 bytes");
  });

  test("an aborted call ends at once, before and after its headers", async () => {
    const silent = await serve(() => {});
    const early = new AbortController();
    const waiting = phaseOf(ask(silent, { signal: early.signal }));
    early.abort();
    expect(["connect", "sent"]).toContain(await waiting);
    server?.closeAllConnections();
    server?.close();
    const begun = await serve((_, response) => response.write("begun"));
    const late = new AbortController();
    const reply = await ask(begun, { signal: late.signal });
    const reading = phaseOf(client.readAll(reply, 1_000));
    late.abort();
    expect(await reading).toBe("sent");
  });

  test("a pooled socket that died meanwhile is replaced, once", async () => {
    const sockets = new Set<Socket>();
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      // The second request on a socket finds it dead.
      if (sockets.has(request.socket)) request.socket.destroy();
      else {
        sockets.add(request.socket);
        request.resume().on("end", () => response.end("fine"));
      }
    });
    for (let call = 0; call < 2; call++) {
      expect(String(await client.readAll(await ask(url), 1_000))).toBe("fine");
      await untilPooled();
    }
    expect([asked, sockets.size]).toEqual([3, 2]);
  });

  test.each(["HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 20", "H"])(
    "an answer that has begun is never asked for again: %j",
    async (begun) => {
      let asked = 0;
      const url = await serve((request, response) => {
        asked += 1;
        if (asked === 1) request.resume().on("end", () => response.end("fine"));
        else request.socket.end(begun);
      });
      await client.readAll(await ask(url), 1_000);
      await untilPooled();
      expect(await phaseOf(ask(url))).toBe("sent");
      expect([asked, sockets.size]).toEqual([2, 1]);
    },
  );

  test("redirects are not followed", async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    );
    expect((await ask(url)).status).toBe(302);
  });

  test("the slices of a body are sent one after the other", async () => {
    const bodies: string[] = [];
    const url = await serve(async (request, response) => {
      bodies.push(`${request.headers["content-length"]} ${await text(request)}`);
      response.end();
    });
    const slices = ["{", '"model":', '"é"', "", "}"].map((slice) => Buffer.from(slice));
    for (const body of [slices, [], "", "é", Buffer.from("é")])
      await client.readAll(await ask(url, { body }), 1_000);
    expect(bodies).toEqual(['14 {"model":"é"}', "0 ", "0 ", "2 é", "2 é"]);
  });

  test("a body that nobody reads stops its sender, and comes whole when it is read", async () => {
    const bytes = 64 * 1024 * 1024;
    let written = 0;
    const piece = Buffer.alloc(64 * 1024, "x");
    const url = await serve((request, response) => {
      if (request.method === "GET") return response.end();
      const write = () => {
        while (written < bytes) {
          written += piece.length;
          if (!response.write(piece)) return response.once("drain", write);
        }
        return response.end();
      };
      return write();
    });
    const reply = await ask(url);
    // Time for a sender that nothing stops.
    for (let call = 0; call < 200; call++) await client.readAll(await ask(url, { method: "GET" }), 1_000);
    expect(written).toBeLessThan(bytes / 2);
    expect((await reply.body.next())?.length).toBeLessThan(256 * 1024);
    let read = 0;
    for (let next = await reply.body.next(); next; next = await reply.body.next()) read += next.length;
    expect(read).toBeGreaterThan(bytes - 256 * 1024);
  });

  test("a body that was given up closes its connection", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.write("begun");
    });
    const { body } = await ask(url);
    expect(String(await body.next())).toBe("begun");
    body.destroy();
    await closed.promise;
    expect(await phaseOf(body.next())).toBe("sent");
  });

  test("a call that is sent once has a new connection, and its death is not hidden", async () => {
    const sockets: Socket[] = [];
    let asked = 0;
    const url = await serve((request, response) => {
      asked += 1;
      sockets.push(request.socket);
      if (asked < 4) request.resume().on("end", () => response.end("fine"));
      else request.socket.destroy();
    });
    for (let call = 0; call < 3; call++) {
      await client.readAll(await ask(url, call === 0 ? {} : { once: true }), 1_000);
      await untilPooled();
    }
    expect(await phaseOf(ask(url, { once: true }))).toBe("sent");
    expect([asked, new Set(sockets).size]).toEqual([4, 4]);
  });

  test("a connection serves one call after the other, however many phases they have", async () => {
    const sockets = new Set<Socket>();
    const url = await serve((request, response) => {
      sockets.add(request.socket);
      request.resume().on("end", () => response.end("fine"));
    });
    for (let call = 0; call < 5; call++) {
      await client.readAll(await ask(url), 1_000);
      await untilPooled();
    }
    expect(sockets.size).toBe(1);
  });

  test.each([
    ["a line break in a header", { headers: { x: "a\r\nhost: evil" } }],
    ["a name that is none", { headers: { "x y": "a" } }],
    ["an address that is none", { url: "http://" }],
    ["a protocol that is not HTTP", { url: "ftp://127.0.0.1/" }],
    ["a signal that has rung already", { signal: AbortSignal.abort() }],
  ])("a request with %s was never sent", async (_, change) => {
    let connections = 0;
    const url = await serve((_request, response) => response.end());
    server?.on("connection", () => connections++);
    expect(await phaseOf(ask(url, change))).toBe("connect");
    await client.readAll(await ask(url), 1_000);
    expect(connections).toBeLessThanOrEqual(2);
  });

  test("a call that is aborted before it has a connection was never sent", async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      asked += 1;
      response.end();
    });
    const early = new AbortController();
    const waiting = phaseOf(ask(url, { signal: early.signal }));
    early.abort();
    expect(await waiting).toBe("connect");
    await client.readAll(await ask(url), 1_000);
    expect(asked).toBe(1);
  });

  test("a signal is let go with the call's end", async () => {
    const url = await serve((_, response) => response.end("fine"));
    const { signal } = new AbortController();
    await client.readAll(await ask(url, { signal }), 1_000);
    await phaseOf(ask("http://127.0.0.1:1/", { signal }));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("a connection that is not ready in time carried nothing", async () => {
    // TLS waits for an answer that never comes.
    const url = await serve();
    expect(await phaseOf(ask(url.replace("http:", "https:"), { connectMs: 50 }))).toBe("connect");
  });

  test("a repeated header is one with commas, and names are in lower case", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, ["X-One", "a", "x-one", "b", "Content-Type", "text/plain"]).end(),
    );
    expect((await ask(url)).headers).toMatchObject({ "x-one": "a, b", "content-type": "text/plain" });
  });

  test.each(["ends", "is reset"])(
    "an unread body whose connection %s does not end the process",
    async (how) => {
      const length = 512 * 1024;
      const over = Promise.withResolvers<void>();
      const url = await serve((request, response) => {
        response.writeHead(200, { connection: "close", "content-length": length });
        response.write("x".repeat(length - 1), () => {
          if (how === "ends") response.end("x");
          else request.socket.resetAndDestroy();
        });
        request.socket.once("close", over.resolve);
      });
      const reply = await ask(url);
      if (how === "is reset") await over.promise;
      // The client has its turn to see the reset.
      await untilPooled();
      const read = client.readAll(reply, 2 * length).then(String);
      if (how === "ends") expect(await read).toHaveLength(length);
      else expect(await phaseOf(read)).toBe("sent");
    },
  );

  test("a body without a length is cut by a reset, and does not end with it", async () => {
    const url = await serve((request) => {
      request.socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhalf");
    });
    const reply = await ask(url);
    expect(String(await reply.body.next())).toBe("half");
    for (const socket of sockets) socket.resetAndDestroy();
    expect(await phaseOf(client.readAll(reply, 1_000))).toBe("sent");
  });
});
