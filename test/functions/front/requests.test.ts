/**
 * What the pipeline is given for the bytes of a request, and which requests the front refuses
 * (functions/front/request.ts).
 */
import { request as ask } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { expectStyle } from "#test/support/error-shape.ts";
import { echo, head, speak, useFronts } from "#test/support/front.ts";

const fronts = useFronts();

/** Sends one request, and gives the answer's JSON. */
async function told(bytes: string): Promise<Record<string, unknown>> {
  const client = await speak(await fronts.open(echo().serve));
  client.send(bytes);
  const answer = await client.until("}");
  return JSON.parse(answer.slice(answer.indexOf("{"))) as Record<string, unknown>;
}

describe("a request", () => {
  test("has its path still encoded, its query, and its headers as an event has them", async () => {
    const asked = await told(
      head(
        "GET /v1/models/a%2Fb%20c?key=x%20y&key=z",
        "X-Api-Key: one",
        "X-API-Key: two",
        "Authorization: Bearer a",
        "authorization: Bearer b",
        "Cookie: session=1",
        "Connection: keep-alive",
        "TE: trailers",
        "constructor: c",
      ),
    );
    expect(asked).toEqual({
      method: "GET",
      path: "/v1/models/a%2Fb%20c",
      query: [
        ["key", "x y"],
        ["key", "z"],
      ],
      headers: {
        host: "gateway.test",
        "x-api-key": "one,two",
        authorization: "Bearer a,Bearer b",
        constructor: "c",
      },
      body: "",
    });
  });

  test.each([
    ["GET http://gateway.test/v1/models?a=b", "/v1/models"],
    ["GET http://gateway.test?a=b", "/"],
    ["OPTIONS *", "*"],
    ["GET //v1", "//v1"],
  ])("%s asks for %s", async (line, path) => {
    expect(await told(head(line))).toMatchObject({ path });
  });

  test.each([
    ["in one piece", head("POST /x", "content-length: 5"), "hello"],
    ["in chunks", head("POST /x", "transfer-encoding: chunked"), "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"],
  ])("has its body whole that comes %s", async (_, first, rest) => {
    expect(await told(first + rest)).toMatchObject({ body: "hello" });
  });

  test("has the instants between which it must be answered", async () => {
    const { serve, asked } = echo();
    const client = await speak(await fronts.open(serve, { callMs: 5_000 }));
    client.send(head("GET /x"));
    await client.until("}");
    const [{ received_at, deadline_at, id } = {}] = asked;
    expect((deadline_at ?? 0) - (received_at ?? 0)).toBe(5_000);
    expect(id).toMatch(/^req_/);
  });

  test("is asked for its body where it waits for that", async () => {
    const client = await speak(await fronts.open(echo().serve));
    client.send(head("POST /x", "content-length: 5", "Expect: 100-Continue"));
    expect(await client.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    client.send("hello");
    expect(await client.until("}")).toContain('"body":"hello"');
  });

  test("follows another on its connection, also before that is answered", async () => {
    const client = await speak(await fronts.open(echo().serve));
    client.send(head("GET /1") + head("HEAD /2") + head("GET /3", "expect: something"));
    const answers = await client.until('"/3"');
    expect(answers.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3);
    expect(answers.match(/"path":"[^"]*"/g)).toEqual(['"path":"/1"', '"path":"/3"']);
  });

  test("that is never whole reaches no pipeline", async () => {
    const { serve, asked } = echo();
    const front = await fronts.open(serve);
    const gone = await speak(front);
    gone.send(`${head("POST /x", "content-length: 5")}he`);
    gone.socket.destroy();
    const client = await speak(front);
    client.send(head("GET /y"));
    await client.until("}");
    expect(asked.map(({ path }) => path)).toEqual(["/y"]);
  });
});

const large = limits.bodyBytesMax + 1;

describe("a body over the limit", () => {
  test.each([
    ["/v1/messages", "anthropic"],
    ["/v1/chat/completions", "openai"],
    ["/api/v3/chat/completions", "volcengine"],
    ["/nowhere", "standard"],
  ] as const)("of %s is refused in its style, before it is sent", async (path, style) => {
    const { serve, asked } = echo();
    const client = await speak(await fronts.open(serve));
    client.send(head(`POST ${path}`, `content-length: ${large}`, "expect: 100-continue"));
    const answer = await client.until("}");
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toMatch(/\r\nx-request-id: req_/);
    expectStyle(style, JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1)));
    expect(asked).toEqual([]);
  });

  test.each([
    ["with its length", { "content-length": large }],
    ["in chunks", { "transfer-encoding": "chunked" }],
  ])("%s is read and dropped, so that a client which only sends gets its answer", async (_, headers) => {
    const front = await fronts.open(echo().serve);
    const sent = ask({ port: front.port, method: "POST", path: "/v1/messages", headers, agent: false });
    const answered = new Promise<[number | undefined, string]>((resolve, reject) => {
      sent
        .on("error", reject)
        .on("response", async (reply) => resolve([reply.statusCode, await text(reply)]));
    });
    for (let left = large; left > 0; left -= 500_000) sent.write(Buffer.alloc(Math.min(left, 500_000)));
    sent.end();
    const [status, body] = await answered;
    expect(status).toBe(413);
    expect(body).toContain("request_too_large");
  });

  test("of exactly the limit is none", async () => {
    const { serve, asked } = echo();
    const front = await fronts.open(async (request) => ({ ...(await serve(request)), body: "{}" }));
    const body = Buffer.alloc(limits.bodyBytesMax, "a");
    const reply = await fetch(`http://127.0.0.1:${front.port}/x`, { method: "POST", body });
    expect(reply.status).toBe(200);
    expect(asked[0]?.body.equals(body)).toBe(true);
  });
});

describe("the memory of a body", () => {
  test.each([
    ["large", 1_000_000, 0],
    ["small", 1_000, 1_000],
  ])("%s: %i bytes are %i once the call is over, and not before", async (_, length, left) => {
    const settled = Promise.withResolvers<void>();
    const bodies: Buffer[] = [];
    const front = await fronts.open(async ({ body }) => {
      bodies.push(body);
      return { status: 200, headers: {}, body: "{}", after: () => settled.promise };
    });
    const reply = await fetch(`http://127.0.0.1:${front.port}/x`, {
      method: "POST",
      body: "a".repeat(length),
    });
    expect(await reply.text()).toBe("{}");
    expect(bodies[0]?.length).toBe(length);
    settled.resolve();
    await front.close(5_000);
    expect(bodies[0]?.length).toBe(left);
  });
});

test("a client of HTTP/1.0 is not told to go on, which it would not understand", async () => {
  const front = await fronts.open(echo().serve);
  const client = await speak(front);
  client.send("POST /x HTTP/1.0\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\nab");
  expect(await client.closed()).toMatch(/^HTTP\/1\.1 200 .*"body":"ab"\}$/s);
});
