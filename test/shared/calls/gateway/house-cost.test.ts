/** What is booked of the house's cost, through the whole pipeline: of the answer, and of attempts that had none. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { attemptCosts } from "#shared/books/ledger/house-cost.ts";
import { settledReceipt } from "#shared/books/reports/receipt.ts";
import { keptEvent, toldEvent } from "#shared/edges/store/ledger/kept-route.ts";
import { usageEntry } from "#shared/edges/store/ledger/postings.ts";
import { chatBody, delta, done, sse, streamOf, usage, usageFrame } from "#test/support/scenario.ts";
import { idOf, useThreeWays } from "#test/support/three-ways.ts";

const channel = (provider: string, cost?: object) => ({
  provider,
  model: "upstream-model",
  ...(cost && { cost }),
});
const ways = useThreeWays({
  channels: [
    channel("north", { input: "1", output: "4" }),
    channel("south", { input: "2", output: "8", cache_read: "0.5", cache_write: "3" }),
    channel("west"),
  ],
  routing: { first_byte_ms: 100 },
});
const order = { "x-gateway-route": "order=north,south,west" };
const stream = { ...chatBody, stream: true };
const south = `${idOf("south")} 2/8/0.5/3 CNY`;

beforeEach(() => {
  const seller = { issuer: "Acme", currency: { code: "CNY", points_per_unit: "100" } };
  vi.spyOn(ways.memory.deps.catalog, "seller").mockReturnValue(seller);
});

/** The event of the only call, and its attempts. */
function booked() {
  const [event] = ways.memory.events;
  if (!event) throw new Error("no event");
  return { event, houses: (event.route?.attempts ?? []).map(({ provider, house }) => [provider, house]) };
}

describe("what the house pays is booked", () => {
  test("at the rates of the channel that answered, and read again in its counts", async () => {
    await ways.chat({ headers: order });
    const { event, houses } = booked();
    expect(event.house).toBe(`${idOf("north")} 1/4 CNY`);
    expect(houses).toEqual([["north", event.house]]);
    const due = BigInt(usage.prompt_tokens) * 1_000_000n + BigInt(usage.completion_tokens) * 4_000_000n;
    expect(attemptCosts(event)).toEqual([
      { provider: "north", channel: idOf("north"), currency: "CNY", basis: "reported", amount: due },
    ]);
  });

  test("not of a channel that refuses, nor of one that nobody reaches", async () => {
    ways.fails("north", 503);
    await ways.chat({ headers: order });
    expect(booked().event.house).toBe(south);
    expect(booked().houses).toEqual([
      ["north", undefined],
      ["south", south],
    ]);
  });

  test("of an attempt that broke off before its first frame, by its input", async () => {
    ways.upstreams.north.on((_, response) => response.destroy());
    await ways.chat({ headers: order });
    const { event, houses } = booked();
    const [, tokens] = /^\S+ 1\/4 CNY (\d+)$/.exec(String(houses[0]?.[1])) ?? [];
    expect(Number(tokens)).toBeGreaterThan(0);
    expect(attemptCosts(event)).toMatchObject([
      { provider: "north", basis: "estimated", amount: BigInt(tokens ?? 0) * 1_000_000n },
      { provider: "south", basis: "reported" },
    ]);
  });

  test("of a stream that broke off before any output, by its input", async () => {
    ways.upstreams.north.on((_, response) => {
      response.writeHead(200, sse).write(delta(""));
      setImmediate(() => response.destroy());
    });
    await ways.chat({ headers: { "x-gateway-route": "order=north" } }, stream);
    const { event } = booked();
    expect(event).toMatchObject({ calls: 0, evidence: "none" });
    const [house, asked] = String(event.house).split(" CNY ");
    expect([house, Number(asked) > 0]).toEqual([`${idOf("north")} 1/4`, true]);
    const costs = [{ basis: "estimated", amount: BigInt(asked ?? 0) * 1_000_000n }];
    expect(attemptCosts(event)).toMatchObject(costs);
    expect(attemptCosts(toldEvent(keptEvent(event)))).toMatchObject(costs);
  });

  test("of the loser of a race, and of the winner", async () => {
    ways.upstreams.north.on(() => {});
    ways.upstreams.south.on(streamOf(delta("south"), usageFrame, done));
    await ways.chat({ headers: order }, stream);
    const { event, houses } = booked();
    expect(houses).toEqual([
      ["north", expect.stringMatching(/ 1\/4 CNY \d+$/)],
      ["south", south],
    ]);
    expect(event.house).toBe(south);
  });

  test("as unknown of an attempt that broke off, where the catalog has no cost for the channel", async () => {
    ways.upstreams.west.on((_, response) => response.destroy());
    await ways.chat({ headers: { "x-gateway-route": "order=west,south" } });
    const { event, houses } = booked();
    expect(houses[0]).toEqual(["west", expect.stringMatching(new RegExp(`^${idOf("west")} - CNY \\d+$`))]);
    expect(attemptCosts(event)).toMatchObject([
      { provider: "west", channel: idOf("west"), unknown: "no_cost" },
      { provider: "south", basis: "reported" },
    ]);
  });

  test("as unknown where the catalog has no cost for the channel", async () => {
    await ways.chat({ headers: { "x-gateway-route": "order=west" } });
    const { event } = booked();
    expect(event.house).toBeUndefined();
    expect(attemptCosts(event)).toEqual([{ provider: "west", channel: null, unknown: "no_cost" }]);
  });

  test("and no customer sees it: neither in the answer nor in the receipt", async () => {
    ways.upstreams.north.on((_, response) => response.destroy());
    const { headers, text } = await ways.chat({ headers: { ...order, "x-gateway-explain": "1" } });
    const { event, houses } = booked();
    const receipt = settledReceipt([usageEntry(event, event.ended_at)]);
    const told = JSON.stringify([headers, text, receipt]);
    for (const secret of [event.house, houses[0]?.[1], idOf("south")]) {
      expect(secret).toBeDefined();
      expect(told).not.toContain(secret);
    }
  });
});
