/**
 * Large bodies through the running gateway, many at a time. The gateway frees each one's memory by hand when its call is
 * over. So what a provider is sent must be exactly what the client sent, also where the provider answers before it has
 * read it all.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { catalogAt, completion, customer, expectCleanAudit, providerKey } from "#test/support/money.ts";

const textBytes = 4_000_000;

/** The pieces that have come of each request, by the letter that its text repeats. */
const arrived = new Map<string, Buffer[]>();

/** Answers requests with the user `early` at once, and reads on slowly. The others it reads to their end first. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  const answer = () => response.end(JSON.stringify(completion));
  let head = "";
  request.on("data", (piece: Buffer) => {
    pieces.push(piece);
    if (!/~./.test(head)) {
      head += piece.toString("latin1");
      const [, letter] = /~(.)/.exec(head) ?? [];
      if (letter) arrived.set(letter, pieces);
      if (letter && head.includes('"user":"early"')) answer();
    }
    request.pause();
    setImmediate(() => request.resume());
  });
  request.on("end", () => response.writableEnded || answer());
  request.on("error", () => {});
}

/** How many bytes of a text have come. Throws on one that is not its letter. */
function textBytesOf(letter: string): number {
  const body = Buffer.concat(arrived.get(letter) ?? []);
  const start = body.indexOf("~") + 1;
  const end = body.indexOf('"', start);
  const text = body.subarray(start, end < 0 ? undefined : end);
  expect(text.every((byte) => byte === letter.charCodeAt(0))).toBe(true);
  return text.length;
}

let provider: Listening;
let gateway: LocalGateway;
beforeAll(async () => {
  provider = await listen(createServer(serve), 0);
  gateway = await startLocal({ catalog: catalogAt(provider.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await provider?.stop();
});

test("each provider gets its own body, also one that answers before it has read it", async () => {
  const { key } = await customer(gateway, { points: parsePoints("1000000") });
  const call = async (letter: string, user: string) => {
    const content = `~${letter.repeat(textBytes)}`;
    const messages = [{ role: "user", content }];
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "test/model-1", user, max_tokens: 10, messages }),
    });
    expect({ status: reply.status, body: await reply.json() }).toEqual({ status: 200, body: completion });
    const bytes = textBytesOf(letter);
    if (user === "late") expect(bytes).toBe(textBytes);
  };
  for (const letters of ["ABCDEFGH", "IJKLMNOP", "QRSTUVWX"])
    await Promise.all([...letters].map((letter, at) => call(letter, at % 3 === 0 ? "early" : "late")));
  // What came of early answered requests afterwards was theirs too.
  for (const letter of arrived.keys()) expect(textBytesOf(letter)).toBeGreaterThan(0);
  expect(arrived.size).toBe(24);
  await expectCleanAudit(gateway);
});
