/** The HTTP client's phases: what a caller may assume was sent, and that no wait is without an end. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { type OutgoingRequest, readAll, send, TransportError } from "#shared/platform/http-client.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener?: RequestListener): Promise<string> {
  server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const ask = (url: string, change: Partial<OutgoingRequest> = {}) =>
  send({
    method: "POST",
    url,
    headers: {},
    body: "x",
    connectMs: 5_000,
    firstByteMs: 5_000,
    idleMs: 5_000,
    ...change,
  });

/** The phase in which a call failed. */
const phaseOf = (call: Promise<unknown>) =>
  call.then(
    () => "answered",
    (error: unknown) => (error instanceof TransportError ? error.phase : error),
  );

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
  expect(await phaseOf(readAll(reply, 1_000))).toBe("sent");
});

test("a body over its bound is not read to its end", async () => {
  const url = await serve((_, response) => response.end("x".repeat(2_000)));
  await expect(readAll(await ask(url), 1_000)).rejects.toThrow("over 1000 bytes");
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
  const reading = phaseOf(readAll(reply, 1_000));
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
  for (let call = 0; call < 2; call++) expect(String(await readAll(await ask(url), 1_000))).toBe("fine");
  expect([asked, sockets.size]).toEqual([3, 2]);
});

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
  for (const body of [slices, [], "", "é", Buffer.from("é")]) await readAll(await ask(url, { body }), 1_000);
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
  for (let call = 0; call < 200; call++) await readAll(await ask(url, { method: "GET" }), 1_000);
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
