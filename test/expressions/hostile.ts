/**
 * Texts that make an expression look long. Each begins as one that it matches, repeats a piece of that, and ends in a way
 * that it does not match.
 */
import fc from "fast-check";
import type { Expression } from "./literals.ts";

/** Makes a text of about that many characters. */
export type Hostile = (chars: number) => string;

/** Pieces that the expressions of any grammar stumble over, on their own. */
const everywhere = [
  " ",
  "\t",
  "a",
  "0",
  "/",
  ".",
  ",",
  "-",
  "=",
  ":",
  ";",
  "[",
  '"',
  "\\",
  "%",
  "a.",
  "a=",
  "/v1",
  "好",
];

/** How much of a text that matches is looked at. */
const sampleCharsMax = 24;

const ending = "\u0001\n";

/** Hostile texts for one expression; the same ones at each call. */
export function hostileTo(expression: Expression): Hostile[] {
  const sample = sampleOf(expression);
  const cuts = [...sample].flatMap((_, at) => [1, 2].map((length) => [at, length] as const));
  const own = cuts.map(([at, length]) => [sample.slice(0, at), sample.slice(at, at + length)] as const);
  const all = [...everywhere.map((piece) => ["", piece] as const), ...own];
  return all.map(
    ([before, piece]) =>
      (chars) =>
        before + piece.repeat(Math.ceil(chars / piece.length)) + ending,
  );
}

/**
 * A text that the expression nearly matches. Letters and digits stand for classes by exclusion and for properties of
 * Unicode, because the generator would look for other characters for hours. An expression that looks around gets no text
 * made: the characters of its own source serve.
 */
function sampleOf({ source, flags }: Expression): string {
  const plain = source.replace(/\[\^(?:\\.|[^\]\\])*\]/g, "[a-z0-9]").replace(/\\p\{[^}]*\}/gi, "a");
  try {
    const texts = fc.stringMatching(new RegExp(plain, flags.replace(/[gy]/g, "")), { size: "small" });
    return (fc.sample(texts, { numRuns: 1, seed: 7 })[0] ?? "").slice(0, sampleCharsMax);
  } catch {
    return plain.replace(/\\[bBwWdDsS]|[()|?*+^$\\]/g, "").slice(0, sampleCharsMax);
  }
}

/**
 * The processor's time that an expression takes for a text, in milliseconds: the least of so many times. Other work on
 * the machine does not count.
 */
export function msOf(expression: RegExp, text: string, times = 3): number {
  const took = Array.from({ length: times }, () => {
    const from = process.threadCpuUsage().user;
    if (expression.global) text.replace(expression, "");
    else expression.test(text);
    return (process.threadCpuUsage().user - from) / 1000;
  });
  return Math.min(...took);
}
