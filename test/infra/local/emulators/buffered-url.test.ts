/** What strangers can take of the console's local port: large bodies share a room, and small ones always fit. */
import { afterEach, expect, test } from "vitest";
import { openBufferedUrl } from "#infra/local/emulators/buffered-url.ts";
import { type Client, head, speak } from "#test/support/front.ts";

const parts = new AsyncDisposableStack();
afterEach(() => parts.disposeAsync());

const large = 200_000;

test("bodies that never end keep others of their size out, and nobody who signs in", async () => {
  const invoke = async (event: object) => ({
    statusCode: 200,
    body: String("body" in event ? String(event.body).length : 0),
  });
  const room = { bytes: 2 * large };
  const url = await openBufferedUrl({ invoke }, 0, () => {}, room);
  parts.defer(url.stop);
  const holding: Client[] = [];
  // Each takes two thirds of its size at least, and what is left is not enough for another one.
  for (let count = 0; count < 2; count++) {
    const client = await speak(url);
    client.send(head("POST /x", "content-type: application/json", `content-length: ${large}`));
    client.send("a".repeat(large - 1));
    holding.push(client);
  }
  while (room.bytes > 2 * (64 * 1024 + 1)) await new Promise(setImmediate);
  const post = async (body: string) => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch(url.url, { method: "POST", headers, body });
    return [reply.status, await reply.text()];
  };
  expect(await post("a".repeat(large))).toEqual([429, '{"message":"Too Many Requests"}']);
  expect(await post("a".repeat(60_000))).toEqual([200, "60000"]);
  for (const { socket } of holding) socket.destroy();
  while (room.bytes < 2 * large) await new Promise(setImmediate);
  expect(await post("a".repeat(large))).toEqual([200, String(large)]);
});
