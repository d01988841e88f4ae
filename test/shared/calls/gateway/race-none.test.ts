/** Calls that nobody races, although their first channel is late. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { CallOptions } from "#test/support/call.ts";
import { finish, lateMs, order, useRacing } from "#test/support/racing.ts";
import { completion } from "#test/support/scenario.ts";
import { idOf, names } from "#test/support/three-ways.ts";

const ways = useRacing();
const { upstreams, stream, chat, countsOf } = ways;

describe("nobody races", () => {
  /** North answers late, but is waited for. */
  async function waits(options: CallOptions = {}, more: object = {}): Promise<void> {
    upstreams.north.on((_, response) => {
      setTimeout(() => finish(response, "north at last"), 3 * lateMs);
    });
    const reply = await stream(options, more);
    expect(reply.headers["x-gateway-provider"]).toBe("north");
    expect(reply.headers["x-gateway-attempts"]).toBe("1");
    expect(upstreams.south.requests).toHaveLength(0);
  }

  test("where the catalog says so", async () => {
    const model = ways.memory.deps.catalog.find("test/model-1");
    if (model) model.routing = { race: false, first_byte_ms: lateMs };
    await waits();
  });

  test("where the caller wants no other channel", () =>
    waits({ headers: { "x-gateway-route": "order=north; fallbacks=off" } }));

  test("where no other channel is left", () => waits({ headers: { "x-gateway-route": "only=north" } }));

  test("where the others are open or limited", async () => {
    for (const name of ["south", "west"] as const)
      await ways.memory.boards.limit("test/model-1", idOf(name), ways.clock + 30_000);
    await waits();
  });

  test("where the request is long: its loser would cost the most", () =>
    waits({}, { messages: [{ role: "user", content: "word ".repeat(limits.raceInputTokensMax) }] }));

  test.each([
    ["0.1", "1"],
    ["0.2", "2"],
  ])("where a plan bears %s points a call, and the dearest answer is 0.08: %s", async (call, channels) => {
    const plan = ways.memory.deps.catalog.plan("free");
    if (plan) plan.list_points_max = { call, above: "refuse" };
    if (channels === "1") return await waits();
    ways.upstreams.north.on(() => {});
    expect((await stream()).headers["x-gateway-provider"]).toBe("south");
  });

  test("where the board cannot be read: nobody would count the races", async () => {
    ways.memory.boards.read = () => Promise.reject(new Error("no board"));
    await waits();
  });

  test("while too many have been raced, and the channel answers", async () => {
    const channels = { [idOf("north")]: { answers: 100, raced: 6 } };
    await ways.memory.boards.add({ model: "test/model-1", at: ways.clock, channels });
    await waits();
    expect(await countsOf("north")).toMatchObject({ raced: 6 });
  });

  test("for a whole answer, whose head comes with its end", async () => {
    upstreams.north.on((_, response) => {
      const end = () => response.writeHead(200).end(JSON.stringify(completion));
      setTimeout(end, 3 * lateMs);
    });
    expect((await chat({ headers: order })).headers["x-gateway-attempts"]).toBe("1");
    expect(upstreams.south.requests).toHaveLength(0);
  });

  test("with basic routing", async () => {
    ways.headers = { authorization: `Bearer ${ways.memory.addKey()}` };
    for (const name of names)
      upstreams[name].on((_, response) => {
        setTimeout(() => finish(response, "at last"), 3 * lateMs);
      });
    expect((await stream()).headers["x-gateway-attempts"]).toBe("1");
  });
});
