/** Who has seen a fault, and for whom it counts (shared/calls/routing/README.md "Witnesses"). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recentOf } from "#shared/calls/routing/breaker.ts";
import { added, histogramOf } from "#shared/calls/routing/histogram.ts";
import { createTally, laneOf, witnessOf } from "#shared/calls/routing/witness.ts";
import { createOutage, createWorld, model, start } from "#test/support/observed.ts";

test("an organization has a short name, always the same one", () => {
  expect(witnessOf("org-1")).toMatch(/^[a-z0-9]{4}$/);
  expect(witnessOf("org-1")).toBe(witnessOf("org-1"));
  const names = new Set(Array.from({ length: 300 }, (_, at) => witnessOf(`org-${at}`)));
  expect(names.size).toBeGreaterThanOrEqual(299);
});

describe("the faults that count", () => {
  const cases: [
    seen_by: Record<string, number>,
    unseen: number,
    witness: string | undefined,
    faults: number,
  ][] = [
    [{}, 3, undefined, 3],
    [{ evil: 9 }, 0, undefined, 0],
    [{ evil: 9 }, 0, "evil", 9],
    [{ evil: 9 }, 2, "good", 2],
    [{ evil: 9, good: 1 }, 0, "good", 2],
    [{ evil: 9, good: 1 }, 0, "evil", 10],
    [{ evil: 9, good: 1, bare: 2 }, 0, undefined, 5],
    [{ one1: 1, two2: 1, thre: 1 }, 0, undefined, 3],
  ];
  test.each(cases)("of %j and %i of nobody alone, for %s, are %i", (seen_by, unseen, witness, faults) => {
    const tally = createTally();
    tally.add(unseen);
    tally.add(
      Object.values(seen_by).reduce((sum, count) => sum + count, 0),
      seen_by,
    );
    tally.add();
    expect(tally.countFor(witness)).toBe(faults);
  });

  test("for anybody else do not grow with what one organization alone sees", () => {
    const counts = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.integer({ min: 1, max: 50 }));
    fc.assert(
      fc.property(counts, fc.integer({ min: 0, max: 1_000 }), (seen_by, more) => {
        const others = Object.values(seen_by);
        const loud = Math.max(1, ...others);
        const faultsWith = (evil: number) => {
          const tally = createTally();
          const seen = { ...seen_by, evil };
          tally.add(
            Object.values(seen).reduce((sum, count) => sum + count, 0),
            seen,
          );
          return tally.countFor("good");
        };
        expect(faultsWith(loud + more)).toBe(faultsWith(loud + (others.length > 0 ? 0 : more)));
      }),
    );
  });
});

describe("a fault that a request may have caused", () => {
  /** A world in which these witnesses have seen faults of channel `a`, each in a process of its own. */
  async function seenBy(...witnesses: string[]) {
    const world = createWorld();
    for (const witness of witnesses) await world.createProcess().see("fault", { witness });
    const health = (witness?: string) => world.createProcess().health(witness);
    return { ...world, health };
  }

  test("opens the channel for the one organization that has seen it, and for nobody else", async () => {
    const { boards, health, log } = await seenBy("evil", "evil", "evil");
    expect(boards.state(model, "a")).toEqual({ level: 1, open_until: start + 2_500, only_for: "evil" });
    expect([await health("evil"), await health("good"), await health()]).toEqual(["open", "good", "good"]);
    const told = { model, provider: "acme", channel: "a", only_for: "evil" };
    expect(log).toHaveBeenCalledExactlyOnceWith("warn", "channel_opened", told);
  });

  test("opens it for all as soon as a second organization has seen as much", async () => {
    const { boards, health } = await seenBy("evil", "evil", "evil", "bare", "bare");
    // Two of its own, and two of the other one's that these confirm.
    expect(boards.state(model, "a")).toEqual({ level: 1, open_until: start + 2_501 });
    expect([await health("evil"), await health("good"), await health()]).toEqual(["open", "open", "open"]);
  });

  test("opens it for all by one call each of three organizations", async () => {
    expect(await (await seenBy("one1", "two2", "thre")).health()).toBe("open");
  });

  test("opens it for nobody else by one chance fault of another organization, however many the first one sees", async () => {
    const { health, createProcess } = await seenBy(...Array.from({ length: 30 }, () => "evil"), "good");
    expect([await health("good"), await health()]).toEqual(["good", "good"]);
    expect((await createProcess().order("c", "good")).placed[0]?.why).not.toBe("probe");
  });

  test("is hidden by no number of answers that another organization gets", async () => {
    const world = await seenBy("one1", "two2", "good");
    const first_byte = histogramOf(500, laneOf("evil")).map((count) => 900 * count);
    const other = histogramOf(500, laneOf("one1"));
    await world.boards.add({
      model,
      at: start,
      channels: { b: { answers: 901, first_byte: added(first_byte, other) } },
    });
    for (const witness of ["one1", "two2", "good"])
      await world.createProcess().see("fault", { channel: "b", witness });
    expect(recentOf(await world.boards.read(model, start), "b", start, "two2")).toEqual({
      answers: expect.closeTo(1.67, 1),
      faults: 3,
    });
  });

  test("is not the witness's where no request can cause it", async () => {
    const { health } = await seenBy("good", "good");
    expect(await health()).toBe("good");
    const world = createWorld();
    for (let at = 0; at < 3; at++) await world.createProcess().see("fault", { witness: undefined });
    expect(await world.createProcess().health("good")).toBe("open");
  });

  test("of a refused account opens it for the witness alone, until a second one is refused", async () => {
    const { boards, createProcess } = createWorld();
    await createProcess().see("refused", { witness: "evil" });
    expect(boards.state(model, "a")).toMatchObject({ level: 6, only_for: "evil" });
    await createProcess().see("refused", { witness: "good" });
    expect(boards.state(model, "a").only_for).toBeUndefined();
  });

  test("is told apart for eight witnesses of a window, and those of more count for all", async () => {
    const { boards, createProcess } = createWorld();
    const process = createProcess();
    for (let at = 0; at < 10; at++) await process.see("fault", { witness: `org${at}` });
    const { faults, seen_by = {} } = (await boards.read(model, start)).windows[0]?.channels.a ?? {};
    expect([faults, Object.keys(seen_by)]).toEqual([10, Array.from({ length: 8 }, (_, at) => `org${at}`)]);
  });
});

describe("a probe that fails by what its request asks", () => {
  test("is not that organization's again while others come", async () => {
    const { boards, time, createProcess } = await createOutage();
    time.now += 2_500;
    const evil = createProcess();
    const probing = async (witness: string) =>
      (await createProcess().order("c", witness)).placed[0]?.why === "probe";
    expect((await evil.order("c", "evil")).placed[0]?.why).toBe("probe");
    await evil.see("fault", { witness: "evil", probed: true });
    expect(boards.state(model, "a")).toMatchObject({ level: 2, failed_by: "evil" });
    time.now += 5_000;
    expect(await probing("evil")).toBe(false);
    expect(await probing("good")).toBe(true);
    time.now += 10_000;
    // Nobody else has come, so it may try again.
    expect(await probing("evil")).toBe(true);
  });

  test("leaves the channel open for its witness alone where it was so", async () => {
    const { boards, time, createProcess } = createWorld();
    for (let at = 0; at < 3; at++) await createProcess().see("fault", { witness: "evil" });
    time.now += 2_500;
    const evil = createProcess();
    expect((await evil.order("c", "good")).placed[0]?.why).not.toBe("probe");
    expect((await evil.order("c", "evil")).placed[0]?.why).toBe("probe");
    await evil.see("fault", { witness: "evil", probed: true });
    expect(boards.state(model, "a")).toMatchObject({ level: 2, only_for: "evil" });
    expect(await createProcess().health("good")).toBe("good");
  });
});
