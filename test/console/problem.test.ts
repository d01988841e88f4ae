/** What a problem tells the reader: words of their language for each reason, and the server's sentence only without one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Problem, told } from "../../console/problem.ts";
import { words as en } from "../../console/words/en/frame.ts";
import { words as zh } from "../../console/words/zh/frame.ts";

const ofServer = "`phone` must be a mobile number.";
const tell = (code: number, rest: { reason?: string; retryAfter?: number } = {}, words = en) =>
  told(new Problem(ofServer, { code, ...rest }), words);

describe("a problem", () => {
  test.each([
    ["en", en, /^This is no mobile number/],
    ["zh", zh, /^这不是手机号/],
  ] as const)("whose reason has words in %s is told in them", (_language, words, expected) => {
    const [, sentences] = tell(40000, { reason: "phone" }, words);
    expect(sentences).toEqual([expect.stringMatching(expected)]);
  });

  test("whose reason has no words is told in the server's", () => {
    expect(tell(40000, { reason: "from" })[1]).toEqual([ofServer, "Correct it, then send it again."]);
    expect(tell(40910)).toEqual(["This cannot be done now", [ofServer]]);
  });

  test("of a part of a field is told in the words of the field", () => {
    expect(tell(40000, { reason: "limits.rpm" })[1]).toEqual([en.reasons.limits]);
  });

  test("of a role is told without the names of roles that the server says", () => {
    expect(tell(40300)[1]).toEqual(["An owner of the organization can change your role."]);
  });

  test("of the last owner says nothing of reloading the page", () => {
    expect(tell(40910, { reason: "last_owner" })[1]).toEqual([en.reasons.last_owner]);
  });

  test("of a code that is not known is told in the server's words", () => {
    expect(tell(41300)).toEqual([en.failed, [ofServer]]);
    expect(tell(50099)).toEqual(en.problems[50000] && [en.problems[50000][0], [en.problems[50000][1]]]);
  });
});

describe("a wait", () => {
  test.each([
    [45, "Wait 45 s, then try again."],
    [121, "Wait 3 min, then try again."],
    [3373, "Wait 57 min, then try again."],
    [7201, "Wait 3 h, then try again."],
    [86_400, "Wait 24 h, then try again."],
  ])("of %i seconds is told in seconds, minutes or hours", (retryAfter, expected) => {
    expect(tell(42910, { retryAfter })[1]).toEqual([expected]);
  });

  test("stands beside what it is for", () => {
    const [, sentences] = tell(42910, { reason: "wrong_codes", retryAfter: 3373 });
    expect(sentences).toEqual([en.reasons.wrong_codes, "Wait 57 min, then try again."]);
    expect(tell(42910, { reason: "codes_of_day", retryAfter: 7300 }, zh)[1]).toEqual([
      zh.reasons.codes_of_day,
      "请等待 3 小时后重试。",
    ]);
  });
});

test("every reason of the API has words in both languages", () => {
  const source = readFileSync(join(import.meta.dirname, "../../shared/base/errors.ts"), "utf8");
  const union = source.match(/type ErrorReason =([^;]+);/)?.[1] ?? "";
  const reasons = [...union.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "");
  expect(reasons.length).toBeGreaterThan(8);
  for (const words of [en, zh]) expect(reasons.filter((name) => !words.reasons[name])).toEqual([]);
  expect(Object.keys(zh.reasons)).toEqual(Object.keys(en.reasons));
});
