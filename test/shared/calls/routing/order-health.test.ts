/** Slow and flaky channels, which smart routing leaves. */
import { describe, expect, test } from "vitest";
import { orderOf } from "#shared/calls/routing/order.ts";
import {
  answered,
  ask,
  board,
  channel,
  first,
  firsts,
  now,
  open,
  providers,
  three,
} from "#test/support/ordered.ts";

describe("a slow channel", () => {
  const slow = board({ acme: answered(4_800), globex: answered(600), initech: answered(600) });

  test("is left by smart routing, and not by basic routing", () => {
    expect(firsts({ board: slow })).toEqual(new Set(["globex", "initech"]));
    expect(firsts({ board: slow, routing: "basic" })).toEqual(new Set(["acme", "globex", "initech"]));
    expect(ask({ board: slow }).placed.at(-1)).toMatchObject({
      health: "slow",
      channel: { provider: "acme" },
    });
  });

  test("goes before one that is open", () => {
    expect(providers(ask({ board: { ...slow, states: { "id-globex": open } } }))).toEqual([
      "initech",
      "acme",
      "globex",
    ]);
  });

  test("is not left for a difference that a caller hardly notices", () => {
    const near = board({ acme: answered(750), globex: answered(600), initech: answered(600) });
    expect(firsts({ board: near })).toEqual(new Set(["acme", "globex", "initech"]));
  });

  test("is not left by what two answers took", () => {
    const few = board({ acme: answered(4_800, 2), globex: answered(600), initech: answered(600) });
    expect(firsts({ board: few })).toEqual(new Set(["acme", "globex", "initech"]));
  });

  test("is asked by a few of its conversations all the same, so that its recovery is seen", () => {
    const own = Array.from({ length: 9 }, (_, at) => `c${at}`).find(
      (conversation) => first(ask({ conversation })) === "acme",
    );
    expect(own).toBeDefined();
    const draw = (random: number, board_ = slow) =>
      orderOf(
        { channels: three, board: board_, now, conversation: own, routing: "smart" },
        { random: () => random },
      );
    expect(first(draw(1 / 64))).not.toBe("acme");
    expect(first(draw(1 / 65))).toBe("acme");
    expect(first(draw(0, { ...slow, states: { "id-acme": open } }))).not.toBe("acme");
  });

  test("that the operator prefers is left only for one that is far better", () => {
    const channels = [channel("acme"), channel("globex", { priority: 2 })];
    const of = (ms: number) => ask({ channels, board: board({ acme: answered(ms), globex: answered(600) }) });
    expect(first(of(2_000))).toBe("acme");
    expect(first(of(4_800))).toBe("globex");
  });

  test("is slow by its tokens a second too", () => {
    const tokens = (generation_ms: number) => answered(600, 100, { output_tokens: 50_000, generation_ms });
    const board_ = board({ acme: tokens(2_500_000), globex: tokens(500_000), initech: tokens(500_000) });
    expect(ask({ board: board_ }).placed.at(-1)).toMatchObject({
      health: "slow",
      channel: { provider: "acme" },
    });
    const near = board({ acme: tokens(600_000), globex: tokens(500_000), initech: tokens(500_000) });
    expect(ask({ board: near }).placed.map(({ health }) => health)).toEqual(["good", "good", "good"]);
  });
});

describe("a flaky channel", () => {
  const flaky = board({
    acme: answered(600, 70, { faults: 30 }),
    globex: answered(600),
    initech: answered(600),
  });

  test("is left by smart routing, and not by basic routing", () => {
    expect(firsts({ board: flaky })).toEqual(new Set(["globex", "initech"]));
    expect(firsts({ board: flaky, routing: "basic" })).toEqual(new Set(["acme", "globex", "initech"]));
    expect(ask({ board: flaky }).placed.at(-1)).toMatchObject({
      health: "flaky",
      channel: { provider: "acme" },
    });
  });

  test("is not flaky by refusals for a limit, or by one fault of a hundred", () => {
    const limits = board({ acme: answered(600, 70, { limited: 300, faults: 1 }), globex: answered(600) });
    expect(firsts({ board: limits })).toEqual(new Set(["acme", "globex", "initech"]));
  });
});
