/** The tables of fields: what they promise for every row. */
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import { members, nameGiven, nameUncarried } from "#shared/calls/protocols/dropped.ts";
import { fieldTable, integer } from "#shared/calls/protocols/field-table.ts";

const impossible = (name: string) => new GatewayError("invalid_request", { message: name, param: name });
const table = fieldTable({
  kept: { carried: true },
  count: { check: integer(1, 3), acts: true, carried: "max_output_tokens" },
  top: { read: integer(0), carried: "top_k" },
  options: { acts: new Set(["size"]), carried: true, members: { ...members("size"), deep: members("a") } },
  never: { refused: impossible },
  wild: { refused: impossible, unless: [false, 0] },
  list: { refused: impossible, unless: Array.isArray },
  store: { unless: [false] },
  tool: { hosted: true, acts: true },
});

describe("a table", () => {
  const check = (text: string) => {
    const body = readJsonObject(Buffer.from(text));
    return table.check(body.value, body);
  };

  test("checks every request by its checks alone, and gives what they read", () => {
    expect(check('{"count":2,"top":-5}')).toEqual({ count: 2 });
    expect(check("{}")).toEqual({ count: undefined });
    expect(() => check('{"count":4}')).toThrow("`count` must be an integer between 1 and 3.");
  });

  test("reads what crosses by the check of the crossing, where there is one", () => {
    expect(table.read({ count: 3 }, "count")).toBe(3);
    expect(table.read({ top: 0 }, "top")).toBe(0);
    expect(() => table.read({ top: -5 }, "top")).toThrow("`top` must be an integer at least 0.");
  });

  test("knows what is acted on, also within a field", () => {
    expect([...table.acted]).toEqual(["count", "options", "tool"]);
    expect(table.hosted).toEqual(["tool"]);
    expect([...table.kept]).toEqual(["kept", "options"]);
  });

  test.each([
    ["never", null, false],
    ["never", 0, true],
    ["wild", 0, false],
    ["wild", false, false],
    ["wild", true, true],
    ["list", [1], false],
    ["list", {}, true],
    ["count", 9, false],
  ])("refuses %s with the value %j: %s", (name, value, refuses) => {
    const run = () => table.refuse({ [name]: value });
    if (refuses) expect(run).toThrow(name);
    else expect(run).not.toThrow();
  });

  test("refuses by its own order, or by another", () => {
    const both = { wild: 1, never: 1 };
    expect(() => table.refuse(both)).toThrow("never");
    expect(() => table.refuse(both, Object.keys(both))).toThrow("wild");
  });

  test("names what does not cross, in the order of the body", () => {
    const dropped = new Set<string>();
    const body = {
      other: 1,
      kept: 1,
      store: true,
      options: { size: 1, deep: { a: 1, b: 1 }, more: 1 },
      wild: 0,
      x: null,
    };
    table.drop(body, dropped);
    expect([...dropped]).toEqual(["other", "store"]);
    table.drop({ store: false, constructor: 1, toString: 1 }, dropped);
    expect([...dropped]).toEqual(["other", "store", "constructor", "toString"]);
    const deep = new Set<string>();
    table.drop(body, deep, true);
    expect([...deep]).toEqual(["other", "store", "options.deep.b", "options.more"]);
  });
});

test("within a field a member that is acted on is refused where it is given twice, in any spelling", () => {
  const spelled = fieldTable(
    { options: { check: () => 1, acts: new Set(["size"]) } },
    { spelled: (key) => key.toLowerCase() },
  );
  const body = readJsonObject(Buffer.from('{"OPTIONS":{"size":1,"SIZE":2,"x":1,"x":2}}'));
  expect(() => spelled.check({ options: body.value.OPTIONS }, body)).toThrow("`size` is given twice.");
});

test("names are paths without indexes, each once", () => {
  const dropped = new Set<string>();
  nameUncarried(
    [{ a: 1, b: [{ c: 1 }, { d: null, e: 1 }] }, { z: 1 }, 3],
    { a: true, b: members("c") },
    "m[3].n[0]",
    dropped,
  );
  nameGiven({ a: 1, b: null }, ["a", "b", "c"], "tools[1]", dropped);
  expect([...dropped]).toEqual(["m.n.b.e", "m.n.z", "tools.a"]);
});
