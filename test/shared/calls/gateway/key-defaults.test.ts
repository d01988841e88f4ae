/** What a key's calls wish by default: as its header would say it, where a call's headers say nothing. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  headerValues,
  isChosen,
  type KeyDefaults,
  keyDefaultRows,
} from "#shared/books/accounts/key-defaults.ts";
import { readKeyDefaults } from "#shared/edges/api/key-request.ts";
import { droppedOf, useAnswering } from "#test/support/crossed.ts";

type Json = Record<string, unknown>;

const crossed = useAnswering();

/** Goes on with a new key that has these defaults, and with these headers. */
function as(defaults: KeyDefaults | undefined, headers: Record<string, string> = {}): void {
  const key = crossed.memory.addKey(defaults ? { defaults } : {});
  crossed.headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
}

describe("allow_drop", () => {
  const search = { tools: [{ type: "web_search" }] };
  const drops = async () => {
    const reply = await crossed.ask("responses", "openai", search);
    return reply.status === 200 ? droppedOf(reply) : reply.status;
  };

  test("lets tools go without a header, and a call may refuse that", async () => {
    as(undefined);
    expect(await drops()).toBe(400);
    as({ allow_drop: ["tools"] });
    expect(await drops()).toEqual(["tools.web_search"]);
    as({ allow_drop: ["tools"] }, { "x-gateway-allow-drop": "none" });
    expect(await drops()).toBe(400);
    as(undefined, { "x-gateway-allow-drop": "none" });
    expect(await drops()).toBe(400);
  });
});

describe("cache_points", () => {
  const tool = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
  const points = async (body: Json) => {
    await crossed.ask("openai", "anthropic", body);
    return JSON.stringify(crossed.sent()).split('"cache_control"').length - 1;
  };

  test("are set or not set without a header, and a call's header wins", async () => {
    as(undefined);
    expect([await points({}), await points({ tools: [tool] })]).toEqual([0, 2]);
    as({ cache_points: "auto" });
    expect(await points({})).toBe(1);
    as({ cache_points: "off" });
    expect(await points({ tools: [tool] })).toBe(0);
    as({ cache_points: "off" }, { "x-gateway-cache-points": "auto" });
    expect(await points({ tools: [tool] })).toBe(2);
    as({ cache_points: "auto" }, { "x-gateway-cache-points": "off" });
    expect(await points({})).toBe(0);
  });
});

const chosen = keyDefaultRows.flatMap(([name, row]) => (isChosen(row) ? [[name, row] as const] : []));
describe.each(chosen)("%s", (name, row) => {
  beforeEach(() => as(undefined));

  test("has a header whose other values are refused with its name, and nothing is held", async () => {
    as(undefined, { [row.header]: "perhaps" });
    const reply = await crossed.ask("openai", "anthropic");
    expect(reply.json()).toMatchObject({ error: { code: "40000", param: row.header } });
    for (const value of headerValues(row)) expect(reply.text).toContain(`\`${value}\``);
    expect([crossed.memory.holds, crossed.upstream.requests]).toEqual([[], []]);
  });

  test("is read by its values alone", () => {
    const own = row.isList ? [row.values[0], row.values[0]] : row.values[0];
    const read = row.isList ? [row.values[0]] : row.values[0];
    expect(readKeyDefaults({ [name]: own })).toEqual({ [name]: read });
    for (const wrong of ["perhaps", ["perhaps"], 1, {}, row.isList ? row.values[0] : [row.values[0]]])
      expect(() => readKeyDefaults({ [name]: wrong }), JSON.stringify(wrong)).toThrow(
        `\`defaults.${name}\` must be `,
      );
    for (const nothing of [null, {}, { [name]: null }, ...(row.isList ? [{ [name]: [] }] : [])])
      expect(readKeyDefaults(nothing)).toBeUndefined();
  });
});
