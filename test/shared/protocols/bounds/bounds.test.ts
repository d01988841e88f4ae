/** Names, users, schemas and stop sequences within what vendors take, and answers in the client's own words again. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatEvent } from "#shared/chat/event.ts";
import type { ChatRequest, Tool } from "#shared/chat/request.ts";
import { createStopper, stoppedAt } from "#shared/chat/stop-sequences.ts";
import { createNullFilter } from "#shared/json/null-members.ts";
import { createEventsBack, replyBack } from "#shared/protocols/bounds/answers.ts";
import { bounded } from "#shared/protocols/bounds/bounded.ts";
import { namesIn } from "#shared/protocols/bounds/names.ts";
import { schemaIn, strictened } from "#shared/protocols/bounds/schemas.ts";
import { bounds } from "#shared/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/protocols/crossing.ts";

type Json = Record<string, unknown>;

const request = (more: Partial<ChatRequest>): ChatRequest => ({
  system: [],
  messages: [{ role: "user", parts: [{ type: "text", text: "Hello" }] }],
  tools: [],
  stop: [],
  stream: false,
  ...more,
});
const protocols = Object.keys(bounds) as CrossingName[];
const cut = (text: string, lengths: readonly number[]): string[] => {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
};
const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

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
    bounded(request({ user: given }), bounds[to], {}).request.user;
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

  test("a strict tool of any members is sent without `strict`, and that is told", () => {
    const open: Tool = {
      name: "f",
      strict: true,
      parameters: { type: "object", additionalProperties: true },
    };
    const { request: sent, dropped } = bounded(request({ tools: [open] }), bounds["openai-chat"], {});
    expect(sent.tools[0]).toMatchObject({ strict: false });
    expect(dropped).toEqual(["tools.strict"]);
  });

  test("an answer whose root is no object is refused by name where no vendor of the protocol has it", () => {
    const format = { type: "json_schema" as const, name: "list", schema: { type: "array" } };
    const ask = (to: CrossingName) => bounded(request({ format }), bounds[to], {}).request.format;
    expect(() => ask("openai-chat")).toThrow("has the type `object`");
    expect(ask("gemini")).toEqual(format);
  });
});

test("a tool that is there twice goes once to vendors that want each name once", () => {
  const tool: Tool = { name: "f" };
  const sent = (to: CrossingName, ...tools: Tool[]) => bounded(request({ tools }), bounds[to], {});
  expect(sent("anthropic", tool, { ...tool }).request.tools).toHaveLength(1);
  expect(sent("anthropic", tool, { ...tool }).dropped).toEqual([]);
  expect(sent("anthropic", tool, { ...tool, description: "Other" }).dropped).toEqual(["tools.f"]);
  expect(sent("openai-chat", tool, tool).request.tools).toHaveLength(2);
});

test("Anthropic gets no text without a word, and no space at the end of a turn that it goes on with", () => {
  const text = (said: string) => ({ type: "text" as const, text: said });
  const given = request({
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

describe("answers", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<unknown>(null, true, 7, "nul", '{"o1":null}', "a\\"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("o1", "o2", "r", "null"), tie("value"), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  })).value;
  const without = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map(without);
    if (typeof given !== "object" || given === null) return given;
    const members = Object.entries(given).filter(
      ([name, member]) => member !== null || !name.startsWith("o"),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, without(member)]));
  };

  test("lose the nulls that stand for what is not there, however their text is cut, and nothing else", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1), lengths, (given, indent, sizes) => {
        const filter = createNullFilter(new Set(["o1", "o2"]));
        const text = JSON.stringify(given, null, indent);
        const out = cut(text, sizes).map(filter.push).join("") + filter.rest();
        expect(JSON.parse(out)).toEqual(without(given));
      }),
      { seed: 2, numRuns: 1_000 },
    );
  });

  test("keep every letter of a text that is no JSON", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("{", "}", '"', ",", ":", "n", "null", "a", " ") }),
        (text) => {
          const filter = createNullFilter(new Set(["a"]));
          const out = [...text].map(filter.push).join("") + filter.rest();
          if (!text.includes("null")) expect(out).toBe(text);
        },
      ),
      { seed: 3 },
    );
  });

  const call = (name: string, args: string): ChatEvent[] => [
    { type: "tool-call-start", index: 0, id: "c", name },
    ...cut(args, [3]).map((piece): ChatEvent => ({ type: "tool-call-delta", index: 0, arguments: piece })),
    { type: "tool-call-end", index: 0 },
  ];

  test("name the client's tools, whole and streamed", () => {
    const schema = { type: "object", properties: { at: { type: "string" } } };
    const tools: Tool[] = [{ name: "calendar.read", strict: true, parameters: schema }];
    const { request: sent, back } = bounded(request({ tools }), bounds["openai-chat"], {});
    const told = sent.tools[0]?.name ?? "";
    const args = '{"at": null, "to": null}';
    const events = call(told, args).flatMap(createEventsBack(back));
    expect(events[0]).toMatchObject({ name: "calendar.read" });
    expect(events.map((event) => ("arguments" in event ? event.arguments : "")).join("")).toBe(
      '{ "to": null}',
    );
    const part = { type: "tool_call" as const, id: "c", name: told, arguments: args };
    const reply = { id: "r", created: 1, parts: [part], stop_reason: "tool_calls" as const };
    expect(replyBack(reply, back).parts).toEqual([
      { ...part, name: "calendar.read", arguments: '{ "to": null}' },
    ]);
  });
});

describe("stop sequences of a model that takes none", () => {
  const words = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
  const stops = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  });

  test("cut a stream where they cut the whole answer, however it is cut", () => {
    fc.assert(
      fc.property(words, stops, lengths, (text, sequences, sizes) => {
        const stop = createStopper(sequences);
        const events = [
          ...cut(text, sizes).map((piece): ChatEvent => ({ type: "text-delta", text: piece })),
          { type: "reply-end", stop_reason: "length" } as const,
        ].flatMap(stop);
        const said = events.map((event) => ("text" in event ? event.text : "")).join("");
        const parts = text === "" ? [] : [{ type: "text" as const, text }];
        const whole = stoppedAt({ id: "r", created: 1, parts, stop_reason: "length" }, sequences);
        expect(said).toBe(whole.parts.map((part) => ("text" in part ? part.text : "")).join(""));
        const { stop_reason, stop_sequence } = whole;
        const end = stop_sequence === undefined ? { stop_reason } : { stop_reason, stop_sequence };
        expect(events.at(-1)).toEqual({ type: "reply-end", ...end });
        expect(sequences.some((sequence) => said.includes(sequence))).toBe(false);
        expect(text.startsWith(said)).toBe(true);
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  test("hold nothing back that cannot begin one, and let usage through after the cut", () => {
    const stop = createStopper(["END"]);
    const text = (said: string): ChatEvent => ({ type: "text-delta", text: said });
    expect(stop(text("Hello E"))).toEqual([text("Hello ")]);
    expect(stop(text("vening EN"))).toEqual([text("Evening ")]);
    expect(stop(text("D and more"))).toEqual([]);
    expect(stop({ type: "tool-call-start", index: 0, id: "c", name: "f" })).toEqual([]);
    const usage = { input_tokens: 1, output_tokens: 9, cache_read_tokens: 0, cache_write_tokens: 0 };
    const told = { type: "usage", usage: { ...usage, generated_images: 0, video_seconds: 0 } } as const;
    expect(stop(told)).toEqual([told]);
    expect(stop({ type: "reply-end", stop_reason: "length" })).toEqual([
      { type: "reply-end", stop_reason: "stop", stop_sequence: "END" },
    ]);
  });

  test("are sent as far as the model takes them, and the gateway cuts at all of them", () => {
    const stop = ["a", "b", "c", "d", "e"];
    const ask = (to: CrossingName, stop_max?: number) =>
      bounded(request({ stop }), bounds[to], stop_max === undefined ? {} : { stop_max });
    expect(ask("openai-chat").request.stop).toEqual(["a", "b", "c", "d"]);
    expect(ask("openai-chat").back.stops).toEqual(stop);
    expect(ask("openai-chat", 0).request.stop).toEqual([]);
    expect(ask("openai-responses", 4).request.stop).toEqual([]);
    expect(ask("anthropic").request.stop).toEqual(stop);
    expect(ask("anthropic").back.stops).toEqual([]);
  });
});
