/** How replies reach a client, and what becomes of them when it does not read (functions/front/reply.ts). */
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { BodyPump, HttpReply } from "#shared/base/http/message.ts";
import type { Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { echo, head, speak, useFronts } from "#test/support/front.ts";

const fronts = useFronts();

/** A pipeline that gives the same reply to everyone. */
const replying =
  (reply: Partial<HttpReply>): Pipeline =>
  async () => ({ status: 200, headers: {}, body: "", ...reply });

const bytes = (text: string) => Buffer.from(text);

describe("a whole reply", () => {
  test.each<[string, HttpReply["body"], string]>([
    ["a text", "héllo", "héllo"],
    ["bytes", bytes("hello"), "hello"],
    ["nothing", "", ""],
  ])("of %s arrives with its length, and the work after it is done", async (_, body, expected) => {
    const after = Promise.withResolvers<void>();
    const headers = { "x-own": "1" };
    const front = await fronts.open(
      replying({ status: 201, headers, body, after: async () => after.resolve() }),
    );
    const reply = await fetch(`http://127.0.0.1:${front.port}/`);
    expect([reply.status, reply.headers.get("x-own")]).toEqual([201, "1"]);
    expect(reply.headers.get("content-length")).toBe(String(Buffer.byteLength(expected)));
    expect(await reply.text()).toBe(expected);
    await after.promise;
  });

  test("of 204 has no length", async () => {
    const front = await fronts.open(replying({ status: 204 }));
    const reply = await fetch(`http://127.0.0.1:${front.port}/`, { method: "OPTIONS" });
    expect([reply.status, reply.headers.get("content-length")]).toEqual([204, null]);
  });

  test("to HEAD has the length of what GET would get", async () => {
    const front = await fronts.open(replying({ body: "hello" }));
    const reply = await fetch(`http://127.0.0.1:${front.port}/`, { method: "HEAD" });
    expect([reply.headers.get("content-length"), await reply.text()]).toEqual(["5", ""]);
  });
});

describe("a body that comes piece by piece", () => {
  const pieces = ["", "a", "b".repeat(255), "", "c".repeat(4_000), "d".repeat(4_001), "e"];
  const body: BodyPump = async (sink) => {
    for (const piece of pieces) await sink.write(bytes(piece));
  };

  test("has a chunk for each piece that is not empty", async () => {
    const front = await fronts.open(replying({ body }));
    const client = await speak(front);
    client.send(head("GET /", "connection: close"));
    const heard = await client.closed();
    const sent = pieces.filter((piece) => piece !== "");
    const chunks = sent.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
    expect(heard.slice(heard.indexOf("\r\n\r\n") + 4)).toBe(`${chunks.join("")}0\r\n\r\n`);
  });

  test("has no chunks in HTTP/1.0", async () => {
    const front = await fronts.open(replying({ body }));
    const client = await speak(front);
    client.send("GET / HTTP/1.0\r\n\r\n");
    const heard = await client.closed();
    expect(heard.slice(heard.indexOf("\r\n\r\n") + 4)).toBe(pieces.join(""));
  });

  test("has its headers at once, and its bytes in order", async () => {
    const begun = Promise.withResolvers<void>();
    const body: BodyPump = async (sink) => {
      await begun.promise;
      for (let at = 0; at < 1_000; at++) await sink.write(bytes(`${at} `));
    };
    const front = await fronts.open(replying({ headers: { "content-type": "text/event-stream" }, body }));
    const reply = await fetch(`http://127.0.0.1:${front.port}/`);
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    begun.resolve();
    expect(await reply.text()).toBe(Array.from({ length: 1_000 }, (_, at) => `${at} `).join(""));
  });

  test("waits while its reader is behind", async () => {
    const piece = Buffer.alloc(256 * 1024, "a");
    let written = 0;
    const body: BodyPump = async (sink) => {
      for (; written < 200; written++) await sink.write(piece);
    };
    const front = await fronts.open(replying({ body }));
    const socket = connect(front.port, "127.0.0.1").pause();
    socket.write(head("GET /", "connection: close"));
    // 50 MB are far more than the sockets between both take.
    for (let turn = 0; turn < 2_000; turn++) await new Promise(setImmediate);
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(200);
    let read = 0;
    socket.on("data", (chunk) => (read += chunk.length)).resume();
    await once(socket, "close");
    expect(written).toBe(200);
    expect(read).toBeGreaterThan(200 * piece.length);
  });

  test.each([
    ["behind, hangs up", true],
    ["reading, hangs up", false],
  ])("goes on to its end where a client that is %s, and its call is settled", async (_, isBehind) => {
    const settled = Promise.withResolvers<number>();
    const gone = Promise.withResolvers<void>();
    let written = 0;
    const body: BodyPump = async (sink) => {
      for (; written < 100; written++) {
        if (written === 3 && !isBehind) await gone.promise;
        await sink.write(Buffer.alloc(256 * 1024));
      }
    };
    const front = await fronts.open(replying({ body, after: async () => settled.resolve(written) }));
    const socket = connect(front.port, "127.0.0.1");
    socket.write(head("GET /"));
    await once(socket, "readable");
    socket.destroy();
    await once(socket, "close");
    setImmediate(gone.resolve);
    expect(await settled.promise).toBe(100);
  });

  test("goes on where the client of a pipelined request hangs up before it is its turn", async () => {
    const settled = Promise.withResolvers<void>();
    const first = Promise.withResolvers<void>();
    const front = await fronts.open(async ({ path }) => ({
      status: 200,
      headers: {},
      body: async (sink) => {
        if (path === "/1") await first.promise;
        else for (let at = 0; at < 100; at++) await sink.write(Buffer.alloc(256 * 1024));
      },
      after: async () => {
        if (path === "/2") settled.resolve();
      },
    }));
    const client = await speak(front);
    client.send(head("GET /1") + head("GET /2"));
    await client.until("\r\n\r\n");
    client.socket.destroy();
    await settled.promise;
    first.resolve();
  });

  test("whose reader is gone is broken off, and the others go on", async () => {
    const gone = Promise.withResolvers<void>();
    const body: BodyPump = async (sink) => {
      await sink.write(bytes("first"));
      await gone.promise;
    };
    const { serve } = echo();
    const front = await fronts.open(async (request) =>
      request.path === "/x" ? await serve(request) : { status: 200, headers: {}, body, gone: gone.promise },
    );
    const stalled = await speak(front);
    stalled.send(head("GET /stalled"));
    await stalled.until("first");
    gone.resolve();
    expect(await stalled.closed()).not.toMatch(/\r\n0\r\n\r\n$/);
    expect((await fetch(`http://127.0.0.1:${front.port}/x`)).status).toBe(200);
  });
});

describe("what is thrown", () => {
  const failed = { error: { type: "server_error", code: 50000, message: "An internal error occurred." } };

  test.each<[string, Pipeline]>([
    ["by the pipeline", async () => await Promise.reject(new Error("boom"))],
    ["by a header that cannot be sent", replying({ headers: { "x-own": "a\nb" } })],
    ["by a status that cannot be sent", replying({ status: 7 })],
  ])("%s is a 500 in the style of the path, and the process goes on", async (_, serve) => {
    const front = await fronts.open(serve);
    const ask = async () => await fetch(`http://127.0.0.1:${front.port}/api/v1/keys`);
    for (const reply of [await ask(), await ask()]) {
      expect(reply.status).toBe(500);
      expect(reply.headers.get("x-request-id")).toMatch(/^req_/);
      expect(await reply.json()).toEqual(failed);
    }
    expect(fronts.logs.map(({ event }) => event)).toEqual(["internal", "internal"]);
  });

  test("by a reply that cannot be sent does not keep its usage from being read", async () => {
    const settled = Promise.withResolvers<boolean>();
    let ended = false;
    const body: BodyPump = async (sink) => {
      await sink.write(bytes("a"));
      ended = true;
    };
    const headers = { "content-type": "a\nb" };
    const front = await fronts.open(replying({ headers, body, after: async () => settled.resolve(ended) }));
    expect((await fetch(`http://127.0.0.1:${front.port}/`)).status).toBe(500);
    expect(await settled.promise).toBe(true);
  });

  test("by the work after a reply is logged, and its client has the reply", async () => {
    const front = await fronts.open(
      replying({ body: "whole", after: () => Promise.reject(new Error("boom")) }),
    );
    const reply = await fetch(`http://127.0.0.1:${front.port}/`);
    expect(await reply.text()).toBe("whole");
    await front.close(1_000);
    expect(fronts.logs).toEqual([
      { event: "internal", fields: expect.objectContaining({ error: "Error: boom" }) },
    ]);
  });
});
