/** A channel that an operator has taken out, through the whole pipeline: no attempt goes there, for whatever reason. */
import { describe, expect, test } from "vitest";
import { useRacing } from "#test/support/racing.ts";
import { idOf, type Name, names } from "#test/support/three-ways.ts";

const ways = useRacing();
const { upstreams, chat, stream, silent, told, billedOnce, fails } = ways;
const model = "test/model-1";
const takeOut = (name: Name, until?: number) =>
  ways.memory.boards.takeOut(model, idOf(name), until === undefined ? {} : { until });
const asked = () => names.filter((name) => upstreams[name].requests.length > 0);

describe("no attempt goes there", () => {
  test.each(["smart", "basic"] as const)("with %s routing, first or after others", async (routing) => {
    if (routing === "basic") ways.headers = { authorization: `Bearer ${ways.memory.addKey()}` };
    takeOut("south");
    for (const name of ["north", "west"] as const) fails(name, 500);
    // North and west fail, each in turn the first of its conversation.
    for (let at = 0; at < 12; at++) {
      const messages = [{ role: "user", content: `Hello ${at}` }];
      expect((await chat({}, { model, messages })).status).toBe(500);
    }
    expect(asked()).toEqual(["north", "west"]);
    const providers = ways.memory.events.flatMap(({ route }) => route?.attempts.map((each) => each.provider));
    expect(new Set(providers)).toEqual(new Set(["north", "west"]));
  });

  test("to race a late one: the next of those that are left is its rival", async () => {
    takeOut("south");
    silent("north");
    const reply = await stream();
    expect(reply.headers["x-gateway-route"]).toBe("smart; via=west; why=race; of=3");
    expect(told()).toEqual([
      ["north", "lost"],
      ["west", "answered"],
    ]);
    expect(asked()).toEqual(["north", "west"]);
    billedOnce();
  });

  test("to probe it, although it is due, and nobody claims the probe", async () => {
    const { boards } = ways.memory;
    await boards.open(model, idOf("south"), { until: ways.clock - 1, level: 1, now: ways.clock - 9_000 });
    takeOut("south");
    for (let at = 0; at < 5; at++) expect((await stream()).headers["x-gateway-provider"]).toBe("north");
    expect([asked(), boards.claims]).toEqual([["north"], 0]);
    boards.takeOut(model, idOf("south"));
    ways.clock += 2_000;
    expect((await stream()).headers["x-gateway-route"]).toBe("smart; via=south; why=probe; of=3");
  });

  test("of a caller who wishes for it first", async () => {
    takeOut("north");
    const reply = await stream();
    expect(reply.headers["x-gateway-route"]).toBe("smart; via=south; why=order; of=3");
  });
});

test("with all of them out a call gets 50002, and is charged nothing", async () => {
  for (const name of names) takeOut(name);
  const reply = await chat();
  expect([reply.status, JSON.parse(reply.text)]).toMatchObject([500, { error: { code: "50002" } }]);
  expect(reply.headers["x-gateway-route"]).toBe("smart; why=none; of=3");
  expect(asked()).toEqual([]);
  expect(ways.memory.events).toMatchObject([{ cost_points: "0", calls: 0, route: { attempts: [] } }]);
  expect(ways.memory.settled).toHaveLength(1);
});

test("calls come back once it has returned, or its time is over", async () => {
  const first = async () => (await stream()).headers["x-gateway-provider"];
  takeOut("north", ways.clock + 60_000);
  expect(await first()).toBe("south");
  ways.clock += 59_999;
  expect(await first()).toBe("south");
  ways.clock += 1;
  expect(await first()).toBe("north");
});
