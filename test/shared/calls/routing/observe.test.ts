/** What calls see of channels: what opens one, what closes it, and that nothing of it ever fails a call. */
import { describe, expect, test, vi } from "vitest";
import type { Boards } from "#shared/calls/routing/board.ts";
import { createOutage, createWorld, model, start } from "#test/support/observed.ts";

describe("a channel is opened", () => {
  test("by three faults that three processes saw", async () => {
    const { boards, createProcess } = createWorld();
    await createProcess().see("fault");
    await createProcess().see("fault");
    expect(boards.state(model, "a").level).toBe(0);
    const last = createProcess();
    await last.see("fault");
    expect(boards.state(model, "a")).toEqual({ level: 1, open_until: start + 2_500 });
    expect(await last.health()).toBe("open");
    expect(await createProcess().health()).toBe("open");
  });

  test("not by three faults among a hundred answers", async () => {
    const { boards, createProcess } = createWorld();
    await boards.add({ model, at: start, channels: { a: { answers: 100 } } });
    for (let at = 0; at < 3; at++) await createProcess().see("fault");
    expect(boards.openings).toBe(0);
  });

  test("not by any number of refusals for a limit", async () => {
    const { boards, createProcess } = createWorld();
    const process = createProcess();
    for (let at = 0; at < 20; at++) await process.see("limited", { wait_ms: 0 });
    expect(boards.openings).toBe(0);
    expect((await boards.read(model, start)).windows[0]?.channels.a).toEqual({ limited: 20 });
  });

  test("not by one customer's requests that the provider blames, nor by answers", async () => {
    const { boards, createProcess } = createWorld();
    const process = createProcess();
    for (let at = 0; at < 100; at++) await process.see(at % 3 ? "blamed" : "answered");
    expect((await boards.read(model, start)).windows).toEqual([]);
    expect(await process.health()).toBe("good");
  });

  test("once, and logged once, by however many processes that see it at a time", async () => {
    const { boards, log, createProcess } = createWorld();
    await Promise.all(Array.from({ length: 20 }, () => createProcess().see("fault")));
    expect(boards.openings).toBe(1);
    const told = { model, provider: "acme", channel: "a" };
    expect(log).toHaveBeenCalledExactlyOnceWith("warn", "channel_opened", told);
    expect(boards.state(model, "a")).toMatchObject({ level: 1 });
  });

  test("at once for a minute where our account is refused", async () => {
    const { boards, createProcess } = createWorld();
    await createProcess().see("refused");
    expect(boards.state(model, "a")).toEqual({ level: 6, open_until: start + 60_000 });
  });

  test("not by one refusal of our account among answers, but once they are no more than the refusals", async () => {
    const { boards, createProcess } = createWorld();
    await boards.add({ model, at: start, channels: { a: { answers: 4 } } });
    for (let at = 0; at < 3; at++) await createProcess().see("refused");
    expect(boards.openings).toBe(0);
    await createProcess().see("refused");
    expect(boards.state(model, "a")).toEqual({ level: 6, open_until: start + 60_000 });
  });

  test("not by a call that failed after waiting since before the channel was opened", async () => {
    const { boards, time, createProcess } = createWorld();
    const late = createProcess();
    await late.order();
    for (let at = 0; at < 3; at++) await createProcess().see("fault");
    const { open_until } = boards.state(model, "a");
    time.now += 10_000;
    await late.see("fault");
    expect(boards.state(model, "a").open_until).toBe(open_until);
  });

  test("where clocks are two seconds apart", async () => {
    const { boards, time, createProcess } = createWorld();
    for (const ahead of [2_000, -2_000, 0]) await createProcess(ahead).see("fault");
    expect(boards.openings).toBe(1);
    for (const ahead of [2_000, -2_000, 0]) expect(await createProcess(ahead).health()).toBe("open");
    time.now += 5_000;
    const orders = await Promise.all([2_000, 0, -2_000].map((ahead) => createProcess(ahead).order()));
    expect(orders.filter(({ placed }) => placed[0]?.why === "probe")).toHaveLength(1);
  });
});

describe("an open channel", () => {
  test("is probed by one call in the world after its time, however many come", async () => {
    const { boards, time, createProcess } = await createOutage();
    time.now += 2_499;
    expect((await createProcess().order()).placed[0]?.channel.id).not.toBe("a");
    time.now += 1;
    const orders = await Promise.all(Array.from({ length: 50 }, () => createProcess().order()));
    const probes = orders.filter(({ placed }) => placed[0]?.channel.id === "a");
    expect(probes).toHaveLength(1);
    expect(probes[0]?.placed[0]?.why).toBe("probe");
    expect(boards.claims).toBe(1);
  });

  test("is closed by the probe's answer, for all processes", async () => {
    const { boards, time, log, createProcess } = await createOutage();
    time.now += 2_500;
    const process = createProcess();
    await process.order();
    await process.see("answered", { probed: true });
    const told = { model, provider: "acme", channel: "a" };
    expect(log).toHaveBeenLastCalledWith("info", "channel_closed", told);
    expect(boards.state(model, "a")).toEqual({ level: 0 });
    expect(await process.health()).toBe("good");
    expect(await createProcess().health()).toBe("good");
  });

  test("is opened for twice as long by the probe's fault, again and again", async () => {
    const { boards, time, createProcess } = await createOutage();
    const seconds: number[] = [];
    for (let at = 0; at < 6; at++) {
      time.now = boards.state(model, "a").open_until ?? 0;
      const process = createProcess();
      expect((await process.order()).placed[0]?.channel.id).toBe("a");
      await process.see("fault", { probed: true });
      seconds.push(((boards.state(model, "a").open_until ?? 0) - time.now) / 1000);
    }
    expect(seconds).toEqual([5, 10, 20, 40, 60, 60]);
  });

  test("is opened for a minute where the probe finds our account refused", async () => {
    const { boards, time, createProcess } = await createOutage();
    time.now += 2_500;
    const process = createProcess();
    await process.order();
    await process.see("refused", { probed: true });
    expect(boards.state(model, "a")).toEqual({ level: 6, open_until: time.now + 60_000 });
  });

  test("is probed again where the call that had the claim never told how it ended", async () => {
    const { time, createProcess } = await createOutage();
    time.now += 2_500;
    expect((await createProcess().order()).placed[0]?.channel.id).toBe("a");
    time.now += 9_999;
    expect((await createProcess().order()).placed[0]?.channel.id).not.toBe("a");
    time.now += 1;
    expect((await createProcess().order()).placed[0]?.channel.id).toBe("a");
  });

  test("stays open where the probe's request is blamed or limited, or another call is answered", async () => {
    const { boards, time, createProcess } = await createOutage();
    time.now += 2_500;
    const process = createProcess();
    await process.order();
    await process.see("blamed", { probed: true });
    await process.see("limited", { probed: true });
    await process.see("answered");
    expect(boards.state(model, "a")).toMatchObject({ level: 1, limited_until: time.now + 5_000 });
  });

  test("is not opened a second time by a late probe whose channel others have closed", async () => {
    const { boards, time, createProcess } = await createOutage();
    time.now += 2_500;
    const late = createProcess();
    await late.order();
    time.now += 10_000;
    const next = createProcess();
    await next.order();
    await next.see("answered", { probed: true });
    time.now += 50_000;
    await late.see("fault", { probed: true });
    expect(boards.state(model, "a")).toEqual({ level: 0 });
  });
});

describe("a limit", () => {
  test.each([
    [undefined, 5],
    [3_000, 3],
    [86_400_000, 60],
    [Number.NaN, 5],
    [-1, 1],
  ])("of %s ms is known to all for %f s, and shortened by nobody", async (wait_ms, seconds) => {
    const { boards, createProcess, time } = createWorld();
    await createProcess().see("limited", { wait_ms });
    await createProcess().see("limited", { wait_ms: 1_000 });
    expect(boards.state(model, "a").limited_until).toBe(start + seconds * 1000);
    expect(await createProcess().health()).toBe("limited");
    time.now += seconds * 1000;
    expect(await createProcess().health()).toBe("good");
  });
});

describe("a board that cannot be reached", () => {
  const unreachable = new Proxy({} as Boards, {
    get: () => () => {
      throw new Error("throttled");
    },
  });

  test("fails no call, and the process goes by what it sees itself", async () => {
    const { log, time, createProcess } = createWorld(unreachable);
    const process = createProcess();
    for (let at = 0; at < 3; at++) await process.see("fault");
    await process.see("limited", { channel: "b" });
    await process.see("refused", { channel: "c" });
    const { placed } = await process.order();
    expect(placed.map(({ health }) => health).toSorted()).toEqual(["limited", "open", "open"]);
    time.now += 2_500;
    expect((await process.order()).placed.some(({ why }) => why === "probe")).toBe(false);
    await process.see("answered", { probed: true });
    expect(await process.health()).toBe("good");
    expect(log).toHaveBeenCalledTimes(1);
  });

  test("lets a channel return that nobody can probe", async () => {
    const { time, createProcess } = createWorld(unreachable);
    const process = createProcess();
    for (let at = 0; at < 3; at++) await process.see("fault");
    time.now += 122_499;
    expect(await process.health()).toBe("open");
    time.now += 1;
    expect(await process.health()).toBe("good");
  });

  test("is not waited for: a claim that takes too long is none", async () => {
    vi.useFakeTimers();
    try {
      const { boards, time, createProcess } = await createOutage();
      time.now += 2_500;
      boards.claimProbe = () => new Promise(() => {});
      const process = createProcess();
      const order = process.order();
      await vi.advanceTimersByTimeAsync(100);
      expect((await order).placed.at(-1)?.channel.id).toBe("a");
    } finally {
      vi.useRealTimers();
    }
  });
});
