/** Memory is freed by hand, and never while a socket may still read it. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { OutgoingRequest } from "#shared/base/platform/http-call.ts";
import { readAll, send } from "#shared/base/platform/http-client.ts";
import { free, pin } from "#shared/base/platform/pinned-memory.ts";

const own = (bytes: number, fill = 1) => Buffer.allocUnsafeSlow(bytes).fill(fill);

describe("free", () => {
  test("gives memory back at once, and leaves no bytes to look at", () => {
    const bytes = own(100);
    const part = bytes.subarray(10, 20);
    free(bytes);
    expect([bytes.length, part.length, bytes.buffer.byteLength]).toEqual([0, 0, 0]);
  });

  test.each([
    ["others have a part of", Buffer.allocUnsafeSlow(100).subarray(1)],
    ["threads share", Buffer.from(new SharedArrayBuffer(100))],
  ])("leaves memory alone that %s", (_, bytes) => {
    const { length } = bytes;
    free(bytes);
    expect(bytes.length).toBe(length);
  });

  test("leaves pinned memory alone until everybody has unpinned it, each once", () => {
    const bytes = own(100);
    const [one, other] = [pin([bytes.subarray(0, 50), bytes.subarray(50)]), pin([bytes])];
    free(bytes);
    one();
    one();
    one();
    free(bytes);
    expect(bytes.length).toBe(100);
    other();
    free(bytes);
    expect(bytes.length).toBe(0);
  });
});

describe("a request's body", () => {
  const opened: { server: Server; sockets: Socket[] }[] = [];
  afterEach(() => {
    for (const { server, sockets } of opened.splice(0)) {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  /** A server that hands each of its sockets to `serve`. */
  async function open(serve: (socket: Socket) => void): Promise<string> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      serve(socket);
    }).listen(0, "127.0.0.1");
    opened.push({ server, sockets });
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  const post = (url: string, body: OutgoingRequest["body"], signal?: AbortSignal) => {
    const bounds = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 };
    return send({ method: "POST", url, headers: {}, body, ...bounds, ...(signal && { signal }) });
  };
  const halves = (bytes: Buffer) => [bytes.subarray(0, 1_000), bytes.subarray(1_000)];
  const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
  /** More than the system takes of what nobody reads. */
  const largeBytes = 64 * 1024 * 1024;

  test.each([
    ["slices", halves],
    ["bytes", (bytes: Buffer) => bytes],
  ])("can be freed once it was sent and answered, as %s", async (_, bodyOf) => {
    const bytes = own(300_000);
    const url = await open((socket) => {
      let read = 0;
      socket.on("data", (piece) => {
        read += piece.length;
        if (read > bytes.length) socket.write(answer.slice(0, -2));
      });
    });
    const reply = await post(url, bodyOf(bytes));
    free(bytes);
    expect(bytes.length).toBe(300_000);
    opened[0]?.sockets[0]?.write("{}");
    await readAll(reply, 100);
    free(bytes);
    expect(bytes.length).toBe(0);
  });

  test("stays while a provider that has answered already may still read it, and is sent as it was", async () => {
    const told = Promise.withResolvers<Socket>();
    const url = await open((socket) => {
      socket.once("data", () => socket.pause().write(answer));
      told.resolve(socket);
    });
    const bytes = own(largeBytes, 0x61);
    await readAll(await post(url, halves(bytes)), 100);
    free(bytes);
    expect(bytes.length).toBe(largeBytes);
    const rest: Buffer[] = [];
    const socket = await told.promise;
    socket.on("data", (piece: Buffer) => rest.push(piece)).resume();
    await once(socket, "close");
    expect(Buffer.concat(rest).every((byte) => byte === 0x61)).toBe(true);
  });

  test("stays when its call is broken off while it is written", async () => {
    const begun = Promise.withResolvers<void>();
    const url = await open((socket) => {
      socket.once("data", () => {
        socket.pause();
        begun.resolve();
      });
    });
    const bytes = own(largeBytes);
    const control = new AbortController();
    const call = post(url, halves(bytes), control.signal);
    await begun.promise;
    control.abort();
    free(bytes);
    await expect(call).rejects.toMatchObject({ name: "TransportError" });
    expect(bytes.length).toBe(largeBytes);
  });

  test("can be freed when nobody could be reached", async () => {
    const bytes = own(300_000);
    await expect(post("http://127.0.0.1:1", halves(bytes))).rejects.toMatchObject({ phase: "connect" });
    free(bytes);
    expect(bytes.length).toBe(0);
  });
});
