/** Answers in the client's own words: its tools, its schemas, and the stop sequences of a model that takes none. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createNullFilter } from "#shared/base/json/null-members.ts";
import type { ChatEvent } from "#shared/calls/chat/event.ts";
import type { Tool } from "#shared/calls/chat/request.ts";
import { createStopper, stoppedAt } from "#shared/calls/chat/stop-sequences.ts";
import { createEventsBack, replyBack } from "#shared/calls/protocols/bounds/answers.ts";
import { bounded } from "#shared/calls/protocols/bounds/bounded.ts";
import { bounds } from "#shared/calls/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { cut, lengths, plainRequest } from "#test/support/bounded.ts";

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
    const { request: sent, back } = bounded(plainRequest({ tools }), bounds["openai-chat"], {});
    const told = sent.tools[0]?.name ?? "";
    const args = '{"at": null, "to": null}';
    const takeBack = createEventsBack(back);
    const events = call(told, args).flatMap((event) => takeBack([event]));
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
      bounded(plainRequest({ stop }), bounds[to], stop_max === undefined ? {} : { stop_max });
    expect(ask("openai-chat").request.stop).toEqual(["a", "b", "c", "d"]);
    expect(ask("openai-chat").back.stops).toEqual(stop);
    expect(ask("openai-chat", 0).request.stop).toEqual([]);
    expect(ask("openai-responses", 4).request.stop).toEqual([]);
    expect(ask("anthropic").request.stop).toEqual(stop);
    expect(ask("anthropic").back.stops).toEqual([]);
  });
});
