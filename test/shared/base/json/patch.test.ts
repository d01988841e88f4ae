/** The laws of a patched body: it reads as it should, and nothing but the change was written anew. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import { patchBody } from "#shared/base/json/patch.ts";

type Json = Record<string, unknown>;

const read = (text: string) => readJsonObject(Buffer.from(text));
const patched = (text: string, after: (value: Json) => Json) => {
  const body = read(text);
  return patchBody(body, after(body.value)).bytes.toString();
};
const without = (value: Json, ...keys: string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

describe("a patched body", () => {
  test("of a great many members takes no longer for each of them", () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(",");
    const body = read(`{"a":1,${members}}`);
    const after = without(body.value, "a");
    const began = performance.now();
    expect(patchBody(body, after).bytes.toString()).toBe(`{${members}}`);
    // Less than a second; a search among the others for each of them took more than a minute.
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("is the client's own where nothing changed", () => {
    const body = read('{ "a" : 1 }');
    expect(patchBody(body, body.value)).toBe(body);
  });

  test.each<[what: string, text: string, after: (value: Json) => Json, bytes: string]>([
    [
      "a value",
      '{"a": 1 ,"b":12345678901234567890}',
      (v) => ({ ...v, a: 2 }),
      '{"a": 2 ,"b":12345678901234567890}',
    ],
    ["the first", '{ "a":1, "b":2}', (v) => without(v, "a"), '{ "b":2}'],
    ["the last", '{"a":1, "b":2 }', (v) => without(v, "b"), '{"a":1 }'],
    ["one between", '{"a":1,"b":2,"c":3}', (v) => without(v, "b"), '{"a":1,"c":3}'],
    ["the last two", '{"a":1, "b":2, "c":3}', (v) => without(v, "b", "c"), '{"a":1}'],
    ["all", '{ "a":1, "b":2 }', () => ({}), "{  }"],
    ["all for another", '{"a":1}', () => ({ b: 2 }), '{"b":2}'],
    ["an added one", '{"a":1.0}', (v) => ({ ...v, b: [2] }), '{"a":1.0,"b":[2]}'],
    ["an added one in place of the last", '{"a":1,"b":2}', ({ a }) => ({ a, c: 3 }), '{"a":1,"c":3}'],
    ["one of an empty body", "{ }", () => ({ a: 1 }), '{ "a":1}'],
    [
      "deep inside, beside a number that no double holds",
      '{"t":[{"n":9007199254740993},{"s":{"k":1,"d":0.10}}]}',
      (v) => {
        const [first, second] = v.t as [Json, { s: Json }];
        return { t: [first, { s: without(second.s, "k") }] };
      },
      '{"t":[{"n":9007199254740993},{"s":{"d":0.10}}]}',
    ],
    ["a key written with an escape", '{"\\u0061":1,"b":2}', (v) => ({ ...v, a: 3 }), '{"\\u0061":3,"b":2}'],
    ["a key that is there twice", '{"a":1,"b":0,"a":2}', (v) => ({ ...v, a: 3 }), '{"a":3,"b":0,"a":3}'],
    ["a key that is there twice and goes", '{"a":1,"b":0,"a":2}', (v) => without(v, "a"), '{"b":0}'],
  ])("changes %s only", (_, text, after, bytes) => {
    expect(patched(text, after)).toBe(bytes);
  });

  test("reads as what it was changed to, however it was written", () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), json, { noNullPrototype: true }),
        fc.dictionary(fc.string(), json, { noNullPrototype: true, maxKeys: 2 }),
        fc.constantFrom("", " ", "\t"),
        fc.nat(),
        (before, added, gap, seed) => {
          const body = readJsonObject(Buffer.from(JSON.stringify(before, null, gap)));
          const after = { ...(thinned(body.value, seed) as Json), ...added };
          const { bytes, members } = patchBody(body, after);
          expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(JSON.stringify(after)));
          expect(members.length).toBe(Object.keys(after).length);
        },
      ),
      { seed: 11, numRuns: 1_000 },
    );
  });
});

/** A value with some of its members gone and some changed, by a number; unchanged parts stay the same objects. */
function thinned(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) {
    const changed = value.map((item, index) => thinned(item, (seed >> 1) + index));
    return changed.every((item, index) => item === value[index]) ? value : changed;
  }
  if (typeof value !== "object" || value === null) return seed % 5 === 0 ? "changed" : value;
  const entries = Object.entries(value).filter((_, index) => (seed + index) % 3 !== 0);
  return Object.fromEntries(entries.map(([key, inner], index) => [key, thinned(inner, (seed >> 1) + index)]));
}
