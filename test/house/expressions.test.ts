/**
 * A stranger chooses what most expressions read, so none may take a time that grows faster than its text. Each is timed
 * on hostile texts of up to 64 KB, and on a quarter of them. A linear one takes four times as long, and a quadratic one
 * sixteen times. `npm run expressions` proves most of them linear.
 */
import { expect, test } from "vitest";
import { type Hostile, hostileTo, msOf } from "../expressions/hostile.ts";
import { type Expression, expressionsIn, reachedExpressions } from "../expressions/literals.ts";

/** At this length only an exponential expression takes any time. At the next one it would hang. */
const shortest = 24;
const [short, middle, long] = [4096, 16_384, 65_536];
/** What a linear expression does not take for the longest text, on any machine. */
const msMax = 4;
const ratioMax = 8;

/** Whether the time for a text grows faster than the text from one length to the next, which is four times as long. */
function grows(expression: RegExp, text: Hostile, [from, to]: readonly [number, number]): boolean {
  const ms = msOf(expression, text(to));
  return ms > msMax && ms / msOf(expression, text(from)) > ratioMax;
}

/** Tries all hostile texts at a length at which a quadratic expression shows, and the worst of them at 64 KB. */
function isSlow({ source, flags }: Expression, texts: Hostile[]): boolean {
  const expression = new RegExp(source, flags);
  let [worst, worstMs] = [texts[0], 0];
  for (const text of texts) {
    if (msOf(expression, text(shortest), 1) > msMax && msOf(expression, text(shortest)) > msMax) return true;
    const ms = msOf(expression, text(short), 1);
    if (ms > msMax && grows(expression, text, [short / 4, short])) return true;
    if (ms > worstMs) [worst, worstMs] = [text, ms];
  }
  return worst !== undefined && grows(expression, worst, [middle, long]);
}

/** The count of the processor's time errs now and then, and more so in a busy moment. A slow expression is slow each time. */
function isAlwaysSlow(expression: Expression): boolean {
  const texts = hostileTo(expression);
  return Array.from({ length: 10 }).every(() => isSlow(expression, texts));
}

const literal = (code: string) => expressionsIn(`const it = ${code};`, "here.ts")[0] as Expression;

test.each([
  ["/^[ \\t]+|[ \\t]+$/g", true],
  ["/^(\\w+\\s?)*$/", true],
  ["/\\[[0-9a-f:.]*:[0-9a-f:.]*\\]/g", true],
  ["/(?<![ \\t])[ \\t]+$/g", false],
  ["/^[\\w-]+(?: *, *[\\w-]+)*$/", false],
])("%s is slow: %s", (code, slow) => {
  expect(isAlwaysSlow(literal(code))).toBe(slow);
});

test("no expression of the product takes longer than its text grows", () => {
  const expressions = reachedExpressions();
  expect(expressions.length).toBeGreaterThan(200);
  const slow = expressions
    .filter(isAlwaysSlow)
    .map(({ source, flags, place }) => `${place} /${source}/${flags}`);
  expect(slow).toEqual([]);
});
