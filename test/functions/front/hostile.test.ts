/** Bytes that are no request, or not in time (functions/front/connections.ts). */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { type Client, echo, head, speak, useFronts } from "#test/support/front.ts";

const fronts = useFronts();

/** The one answer on a connection that is then closed. */
async function refusalOf(client: Client): Promise<string> {
  const answer = await client.until("}}");
  client.socket.destroy();
  const [first = "", body = ""] = answer.split("\r\n\r\n");
  expect(first).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  expect(first.toLowerCase()).toContain("\r\nconnection: close");
  expect(first).toContain("\r\ncontent-type: application/json");
  const { error } = JSON.parse(body) as { error: { code: number; message: string; type: string } };
  expect([error.code, error.type]).toEqual([40000, "invalid_request_error"]);
  return error.message;
}

const smuggled = head("GET /smuggled");

test.each([
  ["both lengths", head("POST /x", "content-length: 4", "transfer-encoding: chunked")],
  ["both lengths, the other way round", head("POST /x", "transfer-encoding: chunked", "content-length: 4")],
  ["two lengths", head("POST /x", "content-length: 4", "content-length: 5")],
  ["a list of lengths", head("POST /x", "content-length: 4, 4")],
  ["a negative length", head("POST /x", "content-length: -1")],
  ["a length that is no number", head("POST /x", "content-length: 0x4")],
  ["a length beyond all numbers", head("POST /x", "content-length: 99999999999999999999999")],
  ["chunked not at the end", head("POST /x", "transfer-encoding: chunked, identity")],
  ["an encoding nobody knows", head("POST /x", "transfer-encoding: xchunked")],
  ["a header's name with a space", head("POST /x", "transfer-encoding : chunked")],
  ["a folded header", head("POST /x", "x-a: b", " transfer-encoding: chunked")],
  ["a bare line feed", "GET /x HTTP/1.1\nhost: gateway.test\n\n"],
  ["a NUL in a header", head("GET /x", "x-a: b\0c")],
  ["no host", "GET /x HTTP/1.1\r\n\r\n"],
  ["two hosts", head("GET /x", "host: other.test")],
  ["no version", "GET /x\r\n\r\n"],
  ["another version", "GET /x HTTP/1.2\r\nhost: a\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["an unknown method", head("BREW /x")],
  ["a bad chunk", `${head("POST /x", "transfer-encoding: chunked")}zz\r\n`],
  ["a chunk longer than it says", `${head("POST /x", "transfer-encoding: chunked")}1\r\nabc\r\n0\r\n\r\n`],
  ["a large head", head("GET /x", `x-a: ${"a".repeat(limits.headBytesMax)}`)],
])("%s is a 400, and nothing behind it is served", async (_, bytes) => {
  const { serve, asked } = echo();
  const client = await speak(await fronts.open(serve));
  client.send(bytes + smuggled);
  await refusalOf(client);
  expect(asked).toEqual([]);
});

test("what came whole before it is answered first", async () => {
  const front = await fronts.open(async ({ path }) => ({
    status: 200,
    headers: {},
    body: async (sink) => {
      for (const part of [path, "!"]) {
        await new Promise(setImmediate);
        await sink.write(Buffer.from(part));
      }
    },
  }));
  const client = await speak(front);
  client.send(`${head("GET /1")}${head("GET /2")}garbage\r\n\r\n`);
  client.send("more garbage\r\n\r\n");
  const answers = await client.until("}}");
  expect(answers.match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
  expect(answers).toMatch(/\/1\r\n1\r\n!\r\n0\r\n\r\nHTTP/);
  expect(answers).toMatch(/\/2\r\n1\r\n!\r\n0\r\n\r\nHTTP/);
});

describe("a client that is too slow", () => {
  const times = { headMs: 300, requestMs: 500 };

  test.each([
    ["with the head", "GET /x HTTP/1.1\r\nhost:"],
    ["with the body", `${head("POST /x", "content-length: 5")}he`],
    ["with a chunk", `${head("POST /x", "transfer-encoding: chunked")}5\r\nhe`],
  ])("%s is told so", async (_, bytes) => {
    const { serve, asked } = echo();
    const client = await speak(await fronts.open(serve, times));
    client.send(bytes);
    expect(await refusalOf(client)).toBe("The request did not arrive in time.");
    expect(asked).toEqual([]);
  });

  test("with anything at all is sent nothing", async () => {
    const client = await speak(await fronts.open(echo().serve, times));
    expect(await client.closed()).toBe("");
  });

  test("while others are served", async () => {
    const front = await fronts.open(echo().serve, times);
    const slow = await speak(front);
    slow.send("GET /x HTTP/1.1\r\n");
    const reply = await fetch(`http://127.0.0.1:${front.port}/y`);
    expect(reply.status).toBe(200);
    await refusalOf(slow);
  });
});
