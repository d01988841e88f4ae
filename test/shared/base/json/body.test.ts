/**
 * The JSON scanner's laws: it finds what JSON.parse finds, changes only what it is told to, and refuses
 * bodies that could mean two things.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { joinShort, membersOf, readJsonObject, refuseDuplicates, splice } from "#shared/base/json/body.ts";
import { limits } from "#shared/base/limits.ts";

const spaced = (value: unknown, gap: string) => Buffer.from(JSON.stringify(value, null, gap));

describe("members", () => {
  test("each member's range parses to its value, whatever the value and the white space", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom("", " ", "\t", "  "),
        (value, gap) => {
          const bytes = spaced(value, gap);
          const found = membersOf(bytes).map(({ key, value_start, value_end }) => [
            key,
            JSON.parse(bytes.toString("utf8", value_start, value_end)),
          ]);
          expect(found).toEqual(Object.entries(JSON.parse(bytes.toString("utf8"))));
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  test("splicing one value leaves every other byte alone", () => {
    const body = '{ "big":12345678901234567890, "z":1e400,"model" :\t"old" , "a":"\\u0061\\"]}" }';
    const bytes = Buffer.from(body);
    const at = membersOf(bytes).find(({ key }) => key === "model");
    const spliced = splice(bytes, [{ start: at?.value_start ?? 0, end: at?.value_end ?? 0, text: '"new"' }]);
    expect(spliced.toString()).toBe(body.replace('"old"', '"new"'));
  });

  test("slices are the same bytes when the short ones are joined, and no long one is copied", () => {
    const length = fc.constantFrom(0, 1, 9, limits.copiedSliceBytesMax, limits.copiedSliceBytesMax + 1);
    fc.assert(
      fc.property(fc.array(length, { maxLength: 8 }), (lengths) => {
        const slices = lengths.map((each, index) => Buffer.alloc(each, index + 1));
        const joined = joinShort(slices);
        expect(Buffer.concat(joined).equals(Buffer.concat(slices))).toBe(true);
        const long = slices.filter((slice) => slice.length > limits.copiedSliceBytesMax);
        expect(long.every((slice) => joined.includes(slice))).toBe(true);
        expect(joined.length).toBeLessThanOrEqual(2 * long.length + 1);
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  test("no bytes, however broken, make the scanner throw anything but a rejection", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        const text = Buffer.from(Array.from(noise, (byte) => '{}[]",:\\a1 \n'.charCodeAt(byte % 12)));
        try {
          readJsonObject(text);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }),
      { seed: 2, numRuns: 3_000 },
    );
  });
});

describe("refusals", () => {
  const refusal = (body: string | Buffer) => {
    try {
      readJsonObject(Buffer.from(body as string));
    } catch (error) {
      return error instanceof GatewayError ? error.key : error;
    }
    return "accepted";
  };

  test.each([
    ["", "invalid_request"],
    ["[]", "invalid_request"],
    ["null", "invalid_request"],
    ['"text"', "invalid_request"],
    ["{", "invalid_request"],
    ['{"a":1}x', "invalid_request"],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "invalid_request"],
    ["{}", "accepted"],
  ])("%j is %s", (body, outcome) => {
    expect(refusal(body)).toBe(outcome);
  });

  test("depth is bounded before anything recursive runs", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(refusal(nested(limits.jsonDepthMax))).toBe("accepted");
    expect(refusal(nested(limits.jsonDepthMax + 1))).toBe("invalid_request");
    expect(refusal(`{"a":${"[".repeat(1_000_000)}`)).toBe("invalid_request");
  });

  test("a key given twice is refused, also when an escape hides it", () => {
    const keys = new Set(["model"]);
    expect(() => refuseDuplicates(membersOf(Buffer.from('{"model":"a","model":"b"}')), keys)).toThrow(
      "twice",
    );
    expect(() => refuseDuplicates(membersOf(Buffer.from('{"model":"a","mod\\u0065l":"b"}')), keys)).toThrow(
      "twice",
    );
    expect(() => refuseDuplicates(membersOf(Buffer.from('{"x":1,"x":2,"model":"a"}')), keys)).not.toThrow();
  });
});
