/** Names, users, texts and schemas within what vendors take. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { strictKeywords } from "#infra/local/demo/strictness/openai-forms.ts";
import type { Tool } from "#shared/calls/chat/request.ts";
import { bounded } from "#shared/calls/protocols/bounds/bounded.ts";
import { namesIn } from "#shared/calls/protocols/bounds/names.ts";
import { schemaIn, strictened } from "#shared/calls/protocols/bounds/schemas.ts";
import { bounds } from "#shared/calls/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { plainRequest } from "#test/support/bounded.ts";

type Json = Record<string, unknown>;

const protocols = Object.keys(bounds) as CrossingName[];

describe.each(protocols)("names for %s", (protocol) => {
  const { name: form } = bounds[protocol];

  test("are of its form, find back, stay apart, and are the same in every turn", () => {
    const given = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200, unit: "binary" }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(given, fc.string({ minLength: 1 }), (names, more) => {
        const { there, back } = namesIn(form, names);
        const told = names.map(there);
        for (const each of told) expect(each).toMatch(form.pattern);
        expect(new Set(told).size).toBe(names.length);
        expect(told.map(back)).toEqual(names);
        // A tool that is added later changes none of the names before it.
        const later = namesIn(form, [...names, more]);
        expect(names.map(later.there)).toEqual(told);
      }),
      { seed: 1 },
    );
  });

  test("stay apart from a name that looks like what another becomes", () => {
    const dotted = "calendar read/all";
    const [looksAlike = ""] = [dotted].map(namesIn(form, [dotted]).there);
    const { there, back } = namesIn(form, [dotted, looksAlike]);
    expect(there(looksAlike)).toBe(looksAlike);
    expect(there(dotted)).not.toBe(looksAlike);
    expect(back(there(dotted))).toBe(dotted);
  });
});

test("a name that nobody sent stays as the provider gave it", () => {
  expect(namesIn(bounds.anthropic.name, ["a.b"]).back("other")).toBe("other");
});

test("a long user becomes a digest of itself, and a short one stays", () => {
  const user = `user_${"f".repeat(64)}_account_${"0".repeat(36)}_session_${"1".repeat(36)}`;
  const told = (given: string, to: CrossingName) =>
    bounded(plainRequest({ user: given }), bounds[to], {}).request.user;
  expect(told(user, "openai-chat")).toMatch(/^user_[\w-]{43}$/);
  expect(told(user, "openai-chat")).toBe(told(user, "openai-responses"));
  expect(told(`${user}x`, "openai-chat")).not.toBe(told(user, "openai-chat"));
  expect(told("ann@example.com", "openai-chat")).toBe("ann@example.com");
  expect(told(user, "anthropic")).toBe(user);
});

describe("schemas", () => {
  const shaped = (schema: Json, form = bounds["openai-chat"].schema) => {
    const dropped = new Set<string>();
    return { schema: schemaIn(form, schema, dropped), dropped: [...dropped] };
  };

  test("a choice at the root becomes one object with the members of all", () => {
    const given = {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      anyOf: [
        { properties: { a: { type: "string" } }, required: ["a", "c"] },
        { properties: { b: { type: "string" } }, required: ["b", "c"] },
      ],
    };
    expect(shaped(given)).toEqual({
      schema: {
        type: "object",
        properties: { id: { type: "string" }, a: { type: "string" }, b: { type: "string" } },
        required: ["id", "c"],
      },
      dropped: ["tools.parameters.anyOf"],
    });
    expect(shaped({ allOf: [{ required: ["a"] }, { required: ["b"] }] }).schema).toEqual({
      type: "object",
      properties: {},
      required: ["a", "b"],
    });
  });

  test("objects get properties and arrays items, and members with the names of keywords are members", () => {
    const given = { type: "object", properties: { enum: { type: "array" }, default: { type: "object" } } };
    expect(shaped(given).schema).toEqual({
      type: "object",
      properties: { enum: { type: "array", items: {} }, default: { type: "object", properties: {} } },
    });
    expect(shaped(given, bounds.anthropic.schema).schema).toBe(given);
  });

  test("a strict schema requires all, and what was optional may be null", () => {
    const dropped = new Set<string>();
    const given = {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { type: "string", enum: ["C", "F"], default: "C" },
        days: { type: ["integer", "null"] },
        place: { $ref: "#/$defs/place" },
      },
      required: ["city"],
      $defs: { place: { type: "object", properties: { at: { oneOf: [{ type: "string" }] } } } },
    };
    const strict = strictened(given, dropped);
    expect(strict?.schema).toEqual({
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { type: ["string", "null"], enum: ["C", "F", null] },
        days: { type: ["integer", "null"] },
        place: { anyOf: [{ $ref: "#/$defs/place" }, { type: "null" }] },
      },
      required: ["city", "unit", "days", "place"],
      additionalProperties: false,
      $defs: {
        place: {
          type: "object",
          properties: { at: { anyOf: [{ type: "string" }, { type: "null" }] } },
          required: ["at"],
          additionalProperties: false,
        },
      },
    });
    // A null of `days` has a meaning that the client gave it.
    expect([...(strict?.optional ?? [])].sort()).toEqual(["at", "place", "unit"]);
    expect([...dropped]).toEqual(["schema.default"]);
  });

  test.each(strictKeywords)("a strict schema has no %s, and what is dropped is told", (keyword) => {
    const dropped = new Set<string>();
    const given = { type: "object", properties: { a: { [keyword]: [] } }, required: ["a"] };
    expect(JSON.stringify(strictened(given, dropped)?.schema)).not.toContain(`"${keyword}"`);
    // A choice of one of several has another word there, which means no less to a model.
    expect([...dropped]).toEqual(keyword === "oneOf" ? [] : [`schema.${keyword}`]);
  });

  test("a strict tool of any members is sent without `strict`, and that is told", () => {
    const open: Tool = {
      name: "f",
      strict: true,
      parameters: { type: "object", additionalProperties: true },
    };
    const { request: sent, dropped } = bounded(plainRequest({ tools: [open] }), bounds["openai-chat"], {});
    expect(sent.tools[0]).toMatchObject({ strict: false });
    expect(dropped).toEqual(["tools.strict"]);
  });

  test("an answer whose root is no object is refused by name where no vendor of the protocol has it", () => {
    const format = { type: "json_schema" as const, name: "list", schema: { type: "array" } };
    const ask = (to: CrossingName) => bounded(plainRequest({ format }), bounds[to], {}).request.format;
    expect(() => ask("openai-chat")).toThrow("has the type `object`");
    expect(ask("gemini")).toEqual(format);
  });
});

test("a tool that is there twice goes once to vendors that want each name once", () => {
  const tool: Tool = { name: "f" };
  const sent = (to: CrossingName, ...tools: Tool[]) => bounded(plainRequest({ tools }), bounds[to], {});
  expect(sent("anthropic", tool, { ...tool }).request.tools).toHaveLength(1);
  expect(sent("anthropic", tool, { ...tool }).dropped).toEqual([]);
  expect(sent("anthropic", tool, { ...tool, description: "Other" }).dropped).toEqual(["tools.f"]);
  expect(sent("openai-chat", tool, tool).request.tools).toHaveLength(2);
});

test("Anthropic gets no text without a word, and no space at the end of a turn that it goes on with", () => {
  const text = (said: string) => ({ type: "text" as const, text: said });
  const given = plainRequest({
    system: [text(" "), text("Be brief.")],
    messages: [
      { role: "user", parts: [text("\n"), text(" Hi ")] },
      { role: "user", parts: [text(" ")] },
      { role: "assistant", parts: [text("Once upon ")] },
    ],
  });
  expect(bounded(given, bounds.anthropic, {}).request).toMatchObject({
    system: [text("Be brief.")],
    messages: [
      { role: "user", parts: [text(" Hi ")] },
      { role: "assistant", parts: [text("Once upon")] },
    ],
  });
  expect(bounded(given, bounds.gemini, {}).request.messages).toEqual(given.messages);
});
