/**
 * Large bodies are read without their long texts. There are three laws. The verdict on every
 * body is that of `JSON.parse`. The value is the same. A text that stayed in the bytes answers as the string does.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJsonObject } from "#shared/base/json/body.ts";
import { headOf, isText, LongText, tailOf } from "#shared/base/json/long-text.ts";
import { Outliner } from "#shared/base/json/outline.ts";
import { StringScanner } from "#shared/base/json/strings.ts";
import { limits } from "#shared/base/limits.ts";
import { longTextPlaces } from "#shared/calls/chat/measure.ts";

/** Makes any body large enough to be outlined. */
const padding = `"padding":"${"p".repeat(limits.outlinedBytesMin)}"`;
const large = (members: string) => Buffer.from(`{${members === "" ? "" : `${members},`}${padding}}`);

const seeded = (seed: number, numRuns = 300) => ({ seed, numRuns });

/** Pieces of strings as JSON writes them: plain, escaped, of every width in UTF-8, and broken ones. */
const piece = fc.constantFrom(
  ...["a", " ", "#", "]", "}", ",", ":", "\\n", '\\"', "\\\\", "\\/", "\\u0000", "\\u00e9", "\\ud83d\\ude00"],
  ...["\\ud800", "é", "你", "😀", "\u007f", "data:image/png;base64,", "://", "lorem ipsum dolor sit amet "],
);
const broken = fc.constantFrom("\\x", "\\u12g4", "\n", "\u0001", "\\", "\u001f", "\\u", '"');
const content = fc
  .array(fc.tuple(piece, fc.nat(300)), { maxLength: 6 })
  .map((pieces) => pieces.map(([text, times]) => text.repeat(times)).join(""));
const badContent = fc.tuple(content, broken, content).map((parts) => parts.join(""));
const key = fc.constantFrom(
  "content",
  "text",
  "type",
  "url",
  "x",
  "__proto__",
  "\\u0063ontent",
  "1",
  "k".repeat(600),
);
const leaf = fc.oneof(
  content.map((text) => `"${text}"`),
  fc.constantFrom("1", "null", "-0", "1e3", "true"),
);
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(" , ")}]`),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `"${name}" :${value}`).join(",\n")}}`),
  ),
})).value;
const member = fc.constantFrom("messages", "input", "tools", "m\\u0065ssages", "system", "__proto__", "x");
const members = fc
  .array(fc.tuple(member, json), { maxLength: 4 })
  .map((all) => all.map(([name, value]) => `"${name}":${value}`).join(","));

/** What becomes of a body: its value and members, or why it is refused. */
function outcome(bytes: Buffer, places?: typeof longTextPlaces): unknown {
  try {
    const body = readJsonObject(bytes, places);
    return { value: body.value, members: body.members, text: JSON.stringify(body.value) };
  } catch (error) {
    return String(error);
  }
}

function expectSame(bytes: Buffer): void {
  expect(outcome(bytes, longTextPlaces)).toEqual(outcome(bytes));
}

describe("an outline", () => {
  test("gives the value and the members that a whole parse gives", () => {
    fc.assert(
      fc.property(members, (text) => expectSame(large(text))),
      seeded(1),
    );
  });

  test("gives its verdict on damaged bodies, wherever they begin in memory", () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.constantFrom('"', "\\", "{", "]", "\u0002", ",", ":", "\xff", "x", ""),
    );
    fc.assert(
      fc.property(members, fc.array(damage, { maxLength: 3 }), fc.nat(3), (text, damages, offset) => {
        let body = large(text).toString("latin1");
        for (const [place, instead] of damages) {
          const at = place % Math.max(text.length, 1);
          body = body.slice(0, at) + instead + body.slice(at + 1);
        }
        const bytes = Buffer.alloc(Buffer.byteLength(body, "latin1") + offset);
        bytes.write(body, offset, "latin1");
        expectSame(bytes.subarray(offset));
      }),
      seeded(2, 600),
    );
  });

  test("refuses every long text that is not valid", () => {
    fc.assert(
      fc.property(badContent, (text) => expectSame(large(`"messages":[{"content":"${text}"}]`))),
      seeded(3),
    );
    for (const odd of ["\\x", "\n", "\\u00g0", "\u0000"]) {
      const long = "x".repeat(1_000);
      expect(outcome(large(`"input":"${long}${odd}${long}"`), longTextPlaces)).toMatch("not valid JSON");
    }
  });

  test("leaves long texts in the bytes, in their places only", () => {
    const long = "x".repeat(limits.longTextBytesMin);
    const body = readJsonObject(
      large(`"messages":[{"role":"${long}","content":"${long}"}],"input":["${long}"],"model":"${long}"`),
      longTextPlaces,
    );
    const left = new LongText(Buffer.from(`"${long}"`), 1, 1 + long.length, false);
    expect(body.outline).toMatchObject({
      messages: [{ role: long, content: left }],
      input: [left],
      model: long,
    });
    expect(JSON.parse(JSON.stringify(body.outline))).toEqual(body.value);
    expect(body.value).toMatchObject({ messages: [{ role: long, content: long }], input: [long] });
  });

  test("does without where a string begins as its own marks do", () => {
    const long = "y".repeat(1_000);
    const { outline } = readJsonObject(large(`"input":["\\u00000","${long}"]`), longTextPlaces);
    expect(outline.input).toEqual(["\u00000", long]);
  });

  test("has the numbers of the body in its skeleton, and not its long texts", () => {
    const body = readJsonObject(large(`"input":["${"z".repeat(9_000)}",9007199254740993]`), longTextPlaces);
    expect(body.skeleton()).toContain("9007199254740993");
    expect(body.skeleton()).not.toContain("zz");
  });
});

describe("a text that stayed in the bytes", () => {
  test("is as long, and holds, begins and ends with what the string does", () => {
    fc.assert(
      fc.property(content, fc.nat(400), (written, units) => {
        const [long, text] = bothOf(`"${written}"`);
        if (text === "") return;
        expect(long).toBeInstanceOf(LongText);
        expect(isText(long)).toBe(true);
        expect((long as LongText).length).toBe(text.length);
        expect((long as LongText).includes("://")).toBe(text.includes("://"));
        expect(headOf(long as LongText, units)).toBe(text.slice(0, units));
        expect(headOf(text, units)).toBe(text.slice(0, units));
        const last = text.slice(-units - 1);
        expect(tailOf(long as LongText, units + 1)).toBe(last);
        expect(tailOf(text, units + 1)).toBe(last);
        expect(String(long)).toBe(text);
      }),
      seeded(4, 500),
    );
  });

  /** A string of JSON as a text that stayed in the bytes, and as a string. */
  function bothOf(json: string): [long: unknown, text: string] {
    const text = JSON.parse(json) as string;
    const bytes = Buffer.from(json);
    return [new LongText(bytes, 1, bytes.length - 1, json.includes("\\")), text];
  }
});

describe("the scanner", () => {
  test("finds the end of a string, and whether JSON takes it, whatever the bytes", () => {
    const byte = fc.constantFrom(
      ...'"\\#]!n/u0aF\u0000\u001f\u007f '.split("").map((char) => char.charCodeAt(0)),
    );
    const noise = fc.array(fc.tuple(byte, fc.constantFrom(1, 1, 1, 4, 30, 700)), { maxLength: 12 });
    fc.assert(
      fc.property(noise, fc.nat(3), (runs, offset) => {
        const inner = runs.flatMap(([value, times]) => Array<number>(times).fill(value));
        const whole = Buffer.from([...Array<number>(offset).fill(0x20), 0x22, ...inner, 0x22]);
        const bytes = whole.subarray(offset);
        const [end, isWhole] = plainEnd(bytes);
        const scanner = new StringScanner(bytes);
        expect(scanner.skip(0)).toBe(end);
        expect(scanner.isValid).toBe(isWhole && takes(bytes.toString("latin1", 0, end)));
        expect(scanner.isEscaped).toBe(bytes.subarray(0, end).includes("\\"));
      }),
      seeded(5, 2_000),
    );
  });

  test("passes all strings of a body in turn", () => {
    const texts = Array.from(
      { length: 200 },
      (_, i) => `${"w".repeat((i * 37) % 1_500)}${i % 3 ? "" : "\\n"}`,
    );
    const bytes = Buffer.from(JSON.stringify(texts));
    const outliner = new Outliner(bytes, longTextPlaces);
    let at = 1;
    for (const text of texts) {
      const end = outliner.skip(at, undefined);
      expect(JSON.parse(bytes.toString("utf8", at, end))).toBe(text);
      at = end + 1;
    }
  });

  /** The end of the string at the start of these bytes, found byte by byte, and whether it has one. */
  function plainEnd(bytes: Buffer): [end: number, isWhole: boolean] {
    for (let at = 1; at < bytes.length; at++) {
      if (bytes[at] === 0x22) return [at + 1, true];
      if (bytes[at] === 0x5c) at++;
    }
    return [bytes.length, false];
  }

  function takes(json: string): boolean {
    try {
      JSON.parse(json);
      return true;
    } catch {
      return false;
    }
  }
});
