/** What rules notice: texts of the pairs are changed in one place. They take any text, in linear time. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mildWords } from "#shared/calls/cache/semantic/rules/english.ts";
import { read } from "#shared/calls/cache/semantic/rules/reading.ts";
import { american, sameWords } from "#shared/calls/cache/semantic/rules/spellings.ts";
import { refusalOf } from "#shared/calls/cache/semantic/rules.ts";
import { readPairs } from "#test/cache/pairs.ts";

/** Texts of the pairs that the rules read. */
const texts = readPairs("open")
  .flatMap(({ a, b }) => [a, b])
  .filter((text) => refusalOf(text, text) === undefined);
const english = texts.filter((text) => !/\p{Script=Han}/u.test(text));
const chinese = texts.filter((text) => /\p{Script=Han}/u.test(text));
const wordsOf = (text: string) => text.split(/(?<=\s)|(?=\s)/u);
/** A word of letters that counts, whatever stands before or behind it. */
const counts = (word: string) => /^\p{L}{2,}$/u.test(word) && !mildWords.has(word.toLowerCase());
const contents = /^(?!(?:the|an|please|can|could|you|me|tell|would|we|one|people|name|called|someone)$)/iu;
const known = new Set(english.flatMap(wordsOf).filter((word) => counts(word) && contents.test(word)));
const vocabulary = [...known];
/** One form of a word for its synonyms and spellings. */
const sameForm = (word: string) => {
  const lower = american(word.normalize("NFKC").toLowerCase());
  return sameWords.get(lower) ?? lower;
};
const at = fc.nat({ max: 10_000 });

describe("a text that is changed in one place is refused:", () => {
  test("there are enough texts", () => {
    expect([english.length > 150, chinese.length > 40]).toEqual([true, true]);
  });

  test("with another word", () => {
    fc.assert(
      fc.property(fc.constantFrom(...english), at, fc.constantFrom(...vocabulary), (text, place, word) => {
        const parts = wordsOf(text);
        const slots = parts.flatMap((part, index) => (known.has(part) ? [index] : []));
        const slot = slots[place % slots.length];
        fc.pre(slot !== undefined && sameForm(parts[slot] ?? "") !== sameForm(word));
        const changed = parts.with(slot, word).join("");
        expect([text, changed, refusalOf(text, changed)]).not.toContain(undefined);
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });

  test("with a word less, or two words in each other's place", () => {
    fc.assert(
      fc.property(fc.constantFrom(...english), at, at, (text, place, other) => {
        const parts = wordsOf(text);
        const slots = parts.flatMap((part, index) => (known.has(part) ? [index] : []));
        const [one, two] = [slots[place % slots.length], slots[other % slots.length]];
        fc.pre(
          one !== undefined && two !== undefined && sameForm(parts[one] ?? "") !== sameForm(parts[two] ?? ""),
        );
        const without = parts.toSpliced(one, 1).join("");
        const swapped = parts
          .with(one, parts[two] ?? "")
          .with(two, parts[one] ?? "")
          .join("");
        for (const changed of [without, swapped]) {
          expect([text, changed, refusalOf(text, changed)]).not.toContain(undefined);
        }
      }),
      { numRuns: 1_000, seed: 2 },
    );
  });

  test("with a negation, a number or a scope more", () => {
    const added = ["not", "never", "without", "7", "only", "every", "or", "from", "before", "cheap"];
    fc.assert(
      fc.property(fc.constantFrom(...english), at, fc.constantFrom(...added), (text, place, word) => {
        const parts = text.split(" ");
        const changed = parts.toSpliced(1 + (place % parts.length), 0, word).join(" ");
        expect([text, changed, refusalOf(text, changed)]).not.toContain(undefined);
      }),
      { numRuns: 1_000, seed: 3 },
    );
  });

  test("with another character, or with two in each other's place", () => {
    const characters = [...new Set(chinese.join(""))].filter((each) => /\p{Script=Han}/u.test(each));
    const idle = /[么样二两乘坐请问的吗呢呀啊吧呗嘛你您妳好一下]/u;
    fc.assert(
      fc.property(
        fc.constantFrom(...chinese),
        at,
        fc.constantFrom(...characters),
        (text, place, character) => {
          const parts = [...text];
          const slot = place % (parts.length - 1);
          const [one = "", two = ""] = parts.slice(slot, slot + 2);
          const replaced = parts.with(slot, character).join("");
          fc.pre(
            /\p{Script=Han}/u.test(one) &&
              one !== character &&
              ![one, two, character].some((each) => idle.test(each)),
          );
          expect([text, replaced, refusalOf(text, replaced)]).not.toContain(undefined);
          if (!/\p{Script=Han}/u.test(two) || one === two) return;
          const swapped = parts
            .with(slot, two)
            .with(slot + 1, one)
            .join("");
          expect([text, swapped, refusalOf(text, swapped)]).not.toContain(undefined);
        },
      ),
      { numRuns: 1_000, seed: 4 },
    );
  });
});

describe("the rules", () => {
  const any = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc
      .array(fc.constantFrom(...vocabulary, "?", "，", "的", "\ud800", "\u0000", "5", " not ", "-"), {
        maxLength: 60,
      })
      .map((parts) => `What ${parts.join(" ")}`),
  );

  test("never fail, and do not care which text was asked", () => {
    fc.assert(
      fc.property(any, any, (one, other) => {
        expect(refusalOf(one, other)).toBe(refusalOf(other, one));
        expect([undefined, "literal", "script", "size"]).toContain(refusalOf(one, one));
      }),
      { numRuns: 500, seed: 5 },
    );
  });

  test("read in linear time", () => {
    const seeds = [
      ..."a |please |hi, |hello there! | |how |1,000|1,|一|万|千百十|？|请|你好，|a-|a - |—|'|n't |a.|?? |的|吗|吗a|Aa|A|a_".split(
        "|",
      ),
      ..."how do i |in which year |请问|谢谢|，|x,|b&|what is the reason |find out | percent|é|〇|for me |convert x for me ".split(
        "|",
      ),
    ];
    const before = process.cpuUsage().user;
    // A quadratic pattern would take minutes for one of them.
    for (const seed of seeds) read(`What is ${seed.repeat(Math.ceil(200_000 / seed.length))}`);
    expect(process.cpuUsage().user - before).toBeLessThan(60e6);
  });
});
