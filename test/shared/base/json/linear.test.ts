/**
 * Readers of texts that a stranger or a model chooses take a time that grows as the text does. Each is timed on hostile
 * texts, and on an eighth of them: a linear one takes eight times as long, and a quadratic one 64 times.
 */
import { describe, expect, test } from "vitest";
import { createNullFilter } from "#shared/base/json/null-members.ts";
import { withoutAttribution } from "#shared/calls/chat/attribution.ts";

const kb = 1024;
/** A shorter time than this is not counted exactly. */
const msMin = 4;
const ratioMax = 24;

/** The processor's milliseconds for a run; the least of three. */
function msOf(run: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage().user;
    run();
    return (process.threadCpuUsage().user - before) / 1000;
  });
  return Math.min(...times);
}

/** Whether the time grows faster than the text, each time that it is looked at. */
function isSlow(
  read: (text: string) => unknown,
  hostile: (length: number) => string,
  length: number,
): boolean {
  return [1, 2, 3].every(() => {
    const [text, part] = [hostile(length), hostile(length / 8)];
    return (
      msOf(() => read(text)) >
      ratioMax *
        Math.max(
          msMin,
          msOf(() => read(part)),
        )
    );
  });
}

const filter = (text: string) => {
  const { push, rest } = createNullFilter(new Set(["a"]));
  return push(text) + rest();
};
const withoutLine = (text: string) => withoutAttribution(Buffer.from(text));
const line = '"x-anthropic-billing-header:';

const filtered: [name: string, hostile: (length: number) => string][] = [
  ["spaces before a name", (length) => `{"b":1,${" ".repeat(length)}"a":null}`],
  ["spaces after a name", (length) => `{"a"${" ".repeat(length)}:null}`],
  ["spaces before a null", (length) => `{"a":${" ".repeat(length)}null}`],
  ["line breaks", (length) => `{"b":1,${"\n".repeat(length)}}`],
  ["colons", (length) => `{"a"${":".repeat(length)}null}`],
  ["commas", (length) => `{${",".repeat(length)}}`],
  ["a null that never ends", (length) => `{"a":n${"u".repeat(length)}`],
  ["a long name", (length) => `{"${"x".repeat(length)}":null}`],
  ["a name of escapes", (length) => `{"${"\\u0061".repeat(length / 6)}":null}`],
  ["many nulls", (length) => `{${'"a":null,'.repeat(length / 9)}"b":1}`],
  ["depth", (length) => '{"a":'.repeat(length / 5)],
];
test.each(filtered)("nulls are taken out in linear time from %s", (_, hostile) => {
  expect(isSlow(filter, hostile, 64 * kb)).toBe(false);
});

const lines: typeof filtered = [
  ["a long line", (length) => `[${line}${"x".repeat(length)}"]`],
  ["a line of escapes", (length) => `[${line}${"\\\\".repeat(length / 2)}"]`],
  ["many lines", (length) => `[${`${line}x",`.repeat(length / 31)}""]`],
  ["many beginnings in a text", (length) => `["${`\\${line}`.repeat(length / 29)}"]`],
  ["many beginnings in a text without an end", (length) => `["${`\\${line}`.repeat(length / 29)}`],
];
test.each(lines)("attributions are taken out in linear time from %s", (_, hostile) => {
  for (const length of [64 * kb, 4096 * kb]) expect(isSlow(withoutLine, hostile, length)).toBe(false);
});

describe("an attribution", () => {
  test("is a whole text: one that only quotes the words stays, and so does what follows", () => {
    const quoting = JSON.stringify([`it said ${line} cc=1;" and then`, "more"]);
    expect(withoutLine(quoting).toString()).toBe(quoting);
  });

  test("leaves nothing behind but its quotes", () => {
    const text = JSON.stringify([{ text: 'x-anthropic-billing-header: a="1\\"; é' }, { text: "b" }]);
    expect(withoutLine(text).toString()).toBe('[{"text":""},{"text":"b"}]');
  });
});

test("a text that is no JSON after a beginning of null leaves as it is", () => {
  for (const text of ['{"a":nil}', '{"a":nu,"b":1}', '{"a":n"x"}']) expect(filter(text)).toBe(text);
});
