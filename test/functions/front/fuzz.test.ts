/** Seeded hostile bytes at the edge: each connection ends, with whole answers or none, and the front stays usable. */
import { expect, test } from "vitest";
import { echo, head, speak, useFronts } from "#test/support/front.ts";
import { seeded } from "#test/support/random.ts";

const fronts = useFronts();

const good = [
  head("GET /v1/models?a=b"),
  head("HEAD /x", "accept: */*"),
  `${head("POST /v1/chat/completions", "content-type: application/json", "content-length: 13")}{"model":"a"}`,
  `${head("POST /v1/messages", "transfer-encoding: chunked")}4\r\n{"a"\r\n5;x=y\r\n:"b"}\r\n0\r\ntrailer: z\r\n\r\n`,
  `${head("POST /x", "expect: 100-continue", "content-length: 2")}ab`,
  head("OPTIONS *", "origin: https://a.test", "access-control-request-method: POST"),
  head("GET /x", "connection: upgrade", "upgrade: websocket"),
];

/** What parsers stumble over. */
const fragments = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  "\t",
  ":",
  "0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "-1\r\n",
  "content-length: 99\r\n",
  "content-length: 0\r\n",
  "transfer-encoding: chunked\r\n",
  "transfer-encoding: identity, chunked\r\n",
  "host: other\r\n",
  "connection: close\r\n",
  "expect: 100-continue\r\n",
  "HTTP/1.0",
  "GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n",
  "\xff\xfe",
  "%",
  "__proto__: a\r\n",
  `x: ${"a".repeat(40_000)}\r\n`,
];

/** One to three requests in a row, with up to six things done to their bytes. */
function hostile(random: (below: number) => number): Buffer {
  const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;
  let bytes = Array.from({ length: 1 + random(3) }, () => pick(good)).join("");
  for (let change = random(7); change > 0; change--) {
    const at = random(bytes.length + 1);
    const kept = at + random(3) * random(12);
    const put = pick([
      pick(fragments),
      String.fromCharCode(random(256)),
      "",
      bytes.slice(at, at + random(60)),
    ]);
    bytes = bytes.slice(0, at) + put + bytes.slice(kept);
  }
  return Buffer.from(bytes, "latin1");
}

/** Takes the first answer off a text; undefined where it is not whole. */
function answerOf(text: string): { status: number; rest: string } | undefined {
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  const end = text.indexOf("\r\n\r\n") + 4;
  if (status === undefined || end < 4) return undefined;
  if (status === "100") return { status: 100, rest: text.slice(end) };
  // An answer to HEAD has a length and no body.
  if (/^(?:$|HTTP\/)/.test(text.slice(end))) return { status: Number(status), rest: text.slice(end) };
  const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, end))?.[1]);
  if (!(text.length >= end + length)) return undefined;
  return { status: Number(status), rest: text.slice(end + length) };
}

/** The statuses of all answers of one connection. */
function statusesIn(text: string): number[] {
  const statuses: number[] = [];
  for (let rest = text; rest !== ""; ) {
    const answer = answerOf(rest);
    if (!answer) throw new Error(`no whole answer: ${JSON.stringify(rest.slice(0, 200))}`);
    statuses.push(answer.status);
    rest = answer.rest;
  }
  return statuses;
}

test("1,500 connections of hostile bytes are answered with 4xx or closed", async () => {
  const { serve } = echo();
  // HEAD and OPTIONS get a body here as everything does: node:http leaves it out where it must.
  const front = await fronts.open(async (request) => ({ ...(await serve(request)), body: "" }), {
    headMs: 2_000,
    requestMs: 2_000,
  });
  const seen = new Map<number, number>();
  const connection = async (seed: number): Promise<void> => {
    const random = seeded(seed);
    const bytes = hostile(random);
    const client = await speak(front);
    const cut = random(bytes.length + 1);
    client.send(bytes.subarray(0, cut));
    if (random(2) === 0) await new Promise(setImmediate);
    client.socket.end(bytes.subarray(cut));
    const heard = await client.closed();
    for (const status of statusesIn(heard)) seen.set(status, (seen.get(status) ?? 0) + 1);
  };
  for (let seed = 0; seed < 1_500; seed += 30) {
    await Promise.all(Array.from({ length: 30 }, (_, at) => connection(seed + at)));
  }
  expect([...seen.keys()].sort()).toEqual([100, 200, 400]);
  expect(seen.get(400)).toBeGreaterThan(300);
  expect(seen.get(200)).toBeGreaterThan(300);
  expect(fronts.logs).toEqual([]);
  expect((await fetch(`http://127.0.0.1:${front.port}/x`)).status).toBe(200);
  expect(await front.close(1_000)).toBe(true);
});
