/**
 * Every behaviour of a peer that HTTP/1.1 allows, and some that it does not: the client's promise settles for each,
 * and the next call gets its own answer.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { httpClientNames, httpClients } from "#test/support/http-clients.ts";

let client: Awaited<ReturnType<(typeof httpClients)["the package"]>>;
let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server?.close();
});

/** A peer that does this with each request, which it counts from 1. */
async function serve(answer: (socket: Socket, request: number) => void): Promise<string> {
  let requests = 0;
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => {
      requests += 1;
      answer(socket, requests);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The answer's status and body, or how the call failed. */
async function ask(url: string, firstByteMs = 10_000): Promise<string> {
  const call = { method: "POST", url, headers: {}, body: "x", connectMs: 10_000, firstByteMs, idleMs: 300 };
  try {
    const reply = await client.send(call);
    return `${reply.status} ${await client.readAll(reply, 100_000)}`;
  } catch (error) {
    if (!(error instanceof client.TransportError)) throw error;
    return `failed when ${error.phase}`;
  }
}

const fine = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
const failed = "failed when sent";

/** What a peer writes, whether it closes then, and what the call comes to. */
const peers: [name: string, written: string, closes: boolean, outcome: string][] = [
  ["100", `HTTP/1.1 100 Continue\r\n\r\n${fine("yes")}`, false, "200 yes"],
  ["100 and nothing more", "HTTP/1.1 100 Continue\r\n\r\n", true, failed],
  ["101 to another protocol", "HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", false, failed],
  [
    "101 with bytes of that protocol",
    "HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n\x81\x03abc",
    false,
    failed,
  ],
  ["200 with an upgrade", `HTTP/1.1 200 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`, true, "200 "],
  [
    "100 after 103",
    `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${fine("yes")}`,
    false,
    failed,
  ],
  ["102", `HTTP/1.1 102 Processing\r\n\r\n${fine("yes")}`, false, "200 yes"],
  ["103", `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${fine("yes")}`, false, "200 yes"],
  ["an unknown 1xx", `HTTP/1.1 199 Hm\r\n\r\n${fine("yes")}`, false, "200 yes"],
  ["a storm of 1xx", `${"HTTP/1.1 102 P\r\n\r\n".repeat(20_000)}${fine("yes")}`, false, "200 yes"],
  ["nothing", "", true, failed],
  ["half a status line", "HTTP/1.1 20", true, failed],
  ["half a header", "HTTP/1.1 200 OK\r\ncontent-ty", true, failed],
  ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", false, failed],
  ["a header without an end", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`, false, failed],
  ["less body than it says", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", true, failed],
  ["a body until it closes", "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall", true, "200 all"],
  ["half a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhalf", true, failed],
  ["no chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n", false, failed],
  [
    "trailers",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n3\r\nall\r\n0\r\nx-sum: 1\r\n\r\n",
    false,
    "200 all",
  ],
  ["204", "HTTP/1.1 204 No Content\r\n\r\n", false, "204 "],
  ["a body that stops", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", false, failed],
  ["a second answer at once", `${fine("mine")}${fine("foreign")}`, false, "200 mine"],
];

describe.each(httpClientNames)("over %s", (name) => {
  beforeAll(async () => {
    client = await httpClients[name]();
  });

  describe("a peer that answers with", () => {
    test.each(peers)("%s", async (_, written, closes, outcome) => {
      const url = await serve((socket) => {
        socket.write(written);
        if (closes) socket.end();
      });
      // Twice: a connection that is pooled meanwhile must not carry anything over.
      for (let call = 0; call < 2; call++) expect(await ask(url)).toBe(outcome);
    });
  });

  test("a body that looks like an answer of 100 stays as it is", async () => {
    const body = "HTTP/1.1 100 is text";
    const head = `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`;
    const ended = Promise.withResolvers<void>();
    const url = await serve((socket) => {
      socket.write(head);
      void ended.promise.then(() => socket.write(body));
    });
    const bounds = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000 };
    const reply = await client.send({ method: "POST", url, headers: {}, body: "x", ...bounds });
    // The body comes in a read of its own, after one with both heads.
    ended.resolve();
    expect(String(await client.readAll(reply, 1_000))).toBe(body);
  });

  test("1xx without an end come to the bound of the first byte", async () => {
    const storms: NodeJS.Timeout[] = [];
    const url = await serve((socket) => {
      storms.push(setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 5));
    });
    expect(await ask(url, 200)).toBe(failed);
    for (const storm of storms) clearInterval(storm);
  });

  test("what a peer sends on an idle connection is never taken for the answer of the next call", async () => {
    const url = await serve((socket, request) => {
      socket.write(fine(`answer ${request}`));
      setImmediate(() => socket.write(fine("foreign")));
    });
    for (let call = 1; call <= 20; call++) {
      expect(await ask(url)).toBe(`200 answer ${call}`);
      await new Promise((resolve) => setTimeout(resolve, call % 3));
    }
  });
});
