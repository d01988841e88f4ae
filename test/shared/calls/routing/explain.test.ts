/** What a client is told of the order: words, names and numbers, and nothing that anybody else wrote. */
import { describe, expect, test } from "vitest";
import type { Board } from "#shared/calls/routing/board.ts";
import { explanation, routeHeader, whyAsked } from "#shared/calls/routing/explain.ts";
import { orderOf, type RoutedChannel, type RoutingQuery } from "#shared/calls/routing/order.ts";

const now = Date.parse("2026-11-22T12:00:07.000Z");
const channel = (provider: string, priority = 1): RoutedChannel => ({
  id: `id-${provider}`,
  provider,
  priority,
  weight: 1,
});
const three = [channel("acme"), channel("globex"), channel("initech")];
const board: Board = {
  read_at: now,
  windows: [
    {
      start: now - 7_000,
      channels: {
        "id-acme": { answers: 100, first_byte: [0, 0, 0, 0, 100], output_tokens: 100, generation_ms: 1_000 },
        "id-initech": { answers: 100, first_byte: [0, 0, 0, 0, 0, 0, 0, 0, 0, 100] },
      },
    },
  ],
  states: { "id-globex": { level: 0, limited_until: now + 11_001 } },
};
const order = (more: Partial<RoutingQuery<RoutedChannel>> = {}) =>
  orderOf(
    { channels: three, board, now, conversation: "c", routing: "smart", ...more },
    { random: () => 0.5 },
  );

describe("x-gateway-route", () => {
  test("says who answered, why, and who was left", () => {
    expect(routeHeader(order(), { via: "id-acme", attempts: 1 })).toBe(
      "smart; via=acme; why=conversation; of=3; out=initech:slow,globex:limited(12s)",
    );
  });

  test("says of a later attempt that those before it failed", () => {
    expect(routeHeader(order(), { via: "id-globex", attempts: 3 })).toBe(
      "smart; via=globex; why=failover; of=3; out=initech:slow",
    );
    expect(whyAsked(order(), { via: "id-acme", attempts: 2 })).toBe("failover");
  });

  test("gives no reason where nobody was asked", () => {
    expect(routeHeader(order({ board: undefined }), { via: "", attempts: 0 })).toBe("smart; why=none; of=3");
  });

  test("is short where there is nothing to choose", () => {
    const only = order({ channels: [channel("acme")], board: undefined, routing: "basic" });
    expect(routeHeader(only, { via: "id-acme", attempts: 1 })).toBe("basic; via=acme; why=only; of=1");
  });

  test("says that basic routing ignores preferences", () => {
    const basic = order({ board: undefined, routing: "basic", preferences: { sort: "latency" } });
    const via = basic.placed[0]?.channel.id ?? "";
    expect(routeHeader(basic, { via, attempts: 1 })).toMatch(/^basic; .*; of=3; preferences=ignored$/);
  });

  test("knows no channel that was not in the order", () => {
    expect(routeHeader(order(), { via: "id-hooli", attempts: 1 })).toMatch(/^smart; why=failover; of=3; /);
  });

  test("is a header whatever is on the board, and names no more channels than it may", () => {
    const many = Array.from({ length: 200 }, (_, at) => channel(`provider-${at}`));
    const states = Object.fromEntries(many.map(({ id }) => [id, { level: 1, open_until: now + 3_000 }]));
    const odd = { ...board, states: { ...states, "x\r\ny: z": { level: 1, open_until: now + 1 } } };
    const told = routeHeader(order({ channels: many, board: odd }), { via: "id-provider-7", attempts: 1 });
    expect(told).toMatch(/^[\x20-\x7e]+$/);
    expect(told.match(/:open\(3s\)/g)).toHaveLength(20);
  });
});

describe("x-gateway-explain", () => {
  test("has what each channel was ordered by", () => {
    const told = JSON.parse(explanation(order())) as { channels: Record<string, unknown>[] };
    expect(told).toMatchObject({ routing: "smart" });
    expect(told.channels[0]).toEqual({
      provider: "acme",
      why: "conversation",
      health: "good",
      priority: 1,
      weight: 1,
      cost_ms: expect.any(Number),
      fault_share: 0,
      first_byte_ms: expect.any(Number),
      tokens_per_s: expect.any(Number),
    });
    expect(told.channels.map(({ health }) => health)).toEqual(["good", "slow", "limited"]);
    expect(told.channels[2]).toMatchObject({ left_ms: 11_001 });
  });

  test("has no cost without a board", () => {
    expect(explanation(order({ board: undefined }))).not.toContain("cost");
  });

  test("has a kilobyte at most, and says what is left out", () => {
    const many = Array.from({ length: 200 }, (_, at) => channel(`provider-${at}`));
    const told = explanation(order({ channels: many }));
    expect(told.length).toBeLessThanOrEqual(1_024);
    const { channels, left_out } = JSON.parse(told) as { channels: unknown[]; left_out: number };
    expect(channels.length).toBeGreaterThan(3);
    expect(channels.length + left_out).toBe(200);
  });

  test("of channels with endless names still is one", () => {
    const endless = ["a", "b"].map((letter) => channel(letter.repeat(3_000)));
    const told = explanation(order({ channels: endless }));
    expect(told).toBe('{"routing":"smart","channels":[],"left_out":2}');
  });
});
