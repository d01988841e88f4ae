/** Whose address a server believes, behind proxies and without (shared/books/accounts/policies.md "Addresses"). */
import { expect, test } from "vitest";
import { echo, speak, useFronts } from "#test/support/front.ts";

const fronts = useFronts();

/** The address that the pipeline is told of a request with these header lines, spoken over a socket. */
async function addressOf(lines: string, proxies?: number): Promise<string | undefined> {
  const { serve, asked } = echo();
  const front = await fronts.open(serve, proxies === undefined ? {} : { proxies });
  const client = await speak(front);
  client.send(`GET / HTTP/1.1\r\nHost: x\r\n${lines}Connection: close\r\n\r\n`);
  await client.closed();
  return asked[0]?.ip;
}
const forwarded = (...texts: string[]) => texts.map((text) => `X-Forwarded-For: ${text}\r\n`).join("");

test("without proxies the connection's address counts, whatever a header says", async () => {
  expect(await addressOf("")).toBe("127.0.0.1");
  expect(await addressOf(forwarded("203.0.113.7"))).toBe("127.0.0.1");
});

test.each([
  [1, forwarded("203.0.113.7"), "203.0.113.7"],
  [1, forwarded("10.0.0.1, 203.0.113.7"), "203.0.113.7"],
  [2, forwarded("6.6.6.6, 203.0.113.7, 198.51.100.1"), "203.0.113.7"],
  [1, forwarded("2001:db8::7"), "2001:db8::7"],
  [1, "", undefined],
  [2, forwarded("203.0.113.7"), undefined],
  [1, forwarded("10.0.0.1,"), undefined],
  [1, forwarded("unknown"), undefined],
  [1, forwarded("203.0.113.7:4711"), undefined],
  [1, forwarded("10.0.0.1", "203.0.113.7"), undefined],
])("behind %i of them, %j is %s", async (proxies, lines, address) => {
  expect(await addressOf(lines, proxies)).toBe(address);
});
