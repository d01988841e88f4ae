/** The order of channels, by the catalog, the board, the conversation and the caller. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderOf, probing, type RoutedChannel } from "#shared/calls/routing/order.ts";
import {
  answered,
  ask,
  board,
  channel,
  first,
  firsts,
  halfOpen,
  limited,
  now,
  open,
  providers,
  three,
} from "#test/support/ordered.ts";

describe.each(["basic", "smart"] as const)("%s routing", (routing) => {
  test("keeps a conversation on its channel among equal ones, and spreads conversations over all", () => {
    expect(firsts({ routing })).toEqual(new Set(["acme", "globex", "initech"]));
    expect(ask({ routing })).toEqual(ask({ routing }));
    expect(ask({ routing }).placed[0]?.why).toBe("conversation");
  });

  test("has the same order without a board as with an empty one", () => {
    expect(providers(ask({ routing, board: undefined }))).toEqual(providers(ask({ routing })));
  });

  test("goes by the catalog's priority first", () => {
    const channels = [
      channel("acme", { priority: 2 }),
      channel("globex"),
      channel("initech", { priority: 3 }),
    ];
    expect(providers(ask({ routing, channels }))).toEqual(["globex", "acme", "initech"]);
    expect(ask({ routing, channels }).placed.map(({ why }) => why)).toEqual([
      "priority",
      "priority",
      "priority",
    ]);
  });

  test("draws the channel of a call without a conversation", () => {
    const draw = (random: number) =>
      orderOf(
        { channels: three, board: undefined, now, conversation: undefined, routing },
        { random: () => random },
      );
    const drawn = Array.from({ length: 60 }, (_, at) => first(draw(at / 60)));
    expect(new Set(drawn)).toEqual(new Set(["acme", "globex", "initech"]));
    expect(draw(0.1).placed[0]?.why).toBe("weight");
  });

  test.each([
    ["open", open, 3_000],
    ["limited", limited, 12_000],
    ["open", halfOpen, undefined],
  ] as const)("asks a channel that is %s last, whatever its priority", (health, state, left_ms) => {
    const channels = [
      channel("acme"),
      channel("globex", { priority: 2 }),
      channel("initech", { priority: 3 }),
    ];
    const order = ask({ routing, channels, board: board({}, { acme: state }) });
    expect(providers(order)).toEqual(["globex", "initech", "acme"]);
    expect(order.placed.at(-1)).toMatchObject({ health });
    expect(order.placed.at(-1)?.left_ms).toBe(left_ms);
  });

  test("moves the conversations of a channel that is left, and no others", () => {
    for (let at = 0; at < 60; at++) {
      const conversation = `c${at}`;
      const before = providers(ask({ routing, conversation }));
      const after = providers(ask({ routing, conversation, board: board({}, { acme: open }) }));
      expect(after).toEqual([...before.filter((each) => each !== "acme"), "acme"]);
    }
  });

  test("ignores that every channel is open or limited", () => {
    const states = { acme: open, globex: limited, initech: halfOpen };
    for (let at = 0; at < 20; at++) {
      const conversation = `c${at}`;
      const order = ask({ routing, conversation, board: board({}, states) });
      expect(providers(order)).toEqual(providers(ask({ routing, conversation })));
    }
  });

  test("has one channel, if the model has one", () => {
    const order = ask({ routing, channels: [channel("acme")], board: board({}, { acme: halfOpen }) });
    expect(order).toMatchObject({ of: 1, probe: undefined, placed: [{ why: "only" }] });
  });

  test("has none, if none can take the call", () => {
    expect(ask({ routing, channels: [] })).toMatchObject({ of: 0, placed: [], probe: undefined });
  });

  test("says which channel a call should probe, and puts it first for the call that may", () => {
    const order = ask({ routing, board: board({}, { globex: halfOpen }) });
    expect(order.probe?.provider).toBe("globex");
    expect(first(order)).not.toBe("globex");
    const probe = probing(order, order.probe as RoutedChannel);
    expect(providers(probe)).toEqual(["globex", ...providers(order).filter((each) => each !== "globex")]);
    expect(probe.placed[0]?.why).toBe("probe");
  });

  test.each([open, limited, { ...halfOpen, probed_until: now + 1 }])(
    "has nothing to probe at %j",
    (state) => {
      expect(ask({ routing, board: board({}, { globex: state }) }).probe).toBeUndefined();
    },
  );

  test("names every channel once, whatever the board says", () => {
    const instant = fc.option(fc.integer({ min: now - 90_000, max: now + 90_000 }), { nil: undefined });
    const state = fc.record({
      level: fc.nat(9),
      open_until: instant,
      limited_until: instant,
      probed_until: instant,
    });
    const counts = fc.record({ answers: fc.nat(99), faults: fc.nat(99), ms: fc.nat(20_000) });
    fc.assert(
      fc.property(
        fc.array(state, { minLength: 3, maxLength: 3 }),
        fc.array(counts, { minLength: 3, maxLength: 3 }),
        (states, all) => {
          const of = <Value>(values: Value[]) =>
            Object.fromEntries(three.map(({ provider }, at) => [provider, values[at]]));
          const given = all.map(({ answers, faults, ms }) => answered(ms, answers, { faults }));
          const order = ask({ routing, board: board(of(given) as never, of(states) as never) });
          expect(providers(order).toSorted()).toEqual(["acme", "globex", "initech"]);
          expect(order.of).toBe(3);
        },
      ),
      { seed: 20261122 },
    );
  });

  test("knows nothing of channels that an older catalog had", () => {
    const old = board({ hooli: answered(100) }, { hooli: halfOpen });
    expect(ask({ routing, board: old })).toEqual(ask({ routing }));
  });
});

describe("the caller's preferences", () => {
  const fast = board({ acme: answered(700), globex: answered(450), initech: answered(1_000) });

  test.each([
    [{ only: ["globex", "hooli"] }, ["globex"], 1],
    [{ order: ["initech", "globex"] }, ["initech", "globex", "acme"], 3],
    [{ sort: "latency" as const }, ["globex", "acme", "initech"], 3],
    [{ order: ["initech"], sort: "latency" as const }, ["initech", "globex", "acme"], 3],
    [{ order: ["acme"], fallbacks: "off" as const }, ["acme"], 3],
    [{ order: ["acme"], fallbacks: "on" as const, ignore: ["initech"] }, ["acme", "globex"], 2],
  ])("%j", (preferences, order, of) => {
    const placed = ask({ board: fast, preferences });
    expect(providers(placed)).toEqual(order);
    expect(placed.of).toBe(of);
  });

  test("may be for the most tokens a second", () => {
    const tokens = (generation_ms: number) => answered(600, 100, { output_tokens: 50_000, generation_ms });
    const speeds = board({ acme: tokens(500_000), globex: tokens(600_000), initech: tokens(400_000) });
    expect(providers(ask({ board: speeds, preferences: { sort: "throughput" } }))).toEqual([
      "initech",
      "acme",
      "globex",
    ]);
  });

  test("go before the catalog's priority, and are the reason", () => {
    const channels = [channel("acme"), channel("globex", { priority: 2 })];
    const order = ask({ channels, preferences: { order: ["globex"] } });
    expect(order.placed[0]).toMatchObject({ why: "order", channel: { provider: "globex" } });
  });

  test("do not put a channel first that is open", () => {
    expect(first(ask({ board: board({}, { acme: open }), preferences: { order: ["acme"] } }))).not.toBe(
      "acme",
    );
  });

  test("that leave nothing are refused", () => {
    for (const preferences of [{ only: ["hooli"] }, { ignore: ["acme", "globex", "initech"] }]) {
      expect(() => ask({ preferences })).toThrow(expect.objectContaining({ key: "invalid_request" }));
    }
  });

  test("are ignored by basic routing, which says so", () => {
    const order = ask({ routing: "basic", preferences: { only: ["hooli"] } });
    expect(order.ignores_preferences).toBe(true);
    expect(providers(order)).toEqual(providers(ask({ routing: "basic" })));
    expect(ask({ routing: "basic" }).ignores_preferences).toBe(false);
    expect(ask({ preferences: {} }).ignores_preferences).toBe(false);
  });

  test("without a fallback leave probing to others", () => {
    const halfOpened = board({}, { acme: halfOpen });
    expect(ask({ board: halfOpened, preferences: { fallbacks: "off" } }).probe).toBeUndefined();
  });
});
