/** What the canonical form of a question takes away, and what it never does. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalOf, isLiteral } from "#shared/calls/cache/canonical.ts";

const same = (a: string, b: string): boolean =>
  a === b || (!isLiteral(a) && !isLiteral(b) && canonicalOf(a) === canonicalOf(b));

describe("these ask the same", () => {
  test.each([
    ["What is DNA?", "What is DNA"],
    ["What is DNA?", "what is DNA?"],
    ["  What is   DNA ?\n", "What is DNA?"],
    ["Hello, what is DNA?", "what is DNA"],
    ["Good morning! Name a colour.", "Name a colour"],
    ["Name a colour, thank you.", "Name a colour"],
    ["Ｗｈａｔ　is ＤＮＡ？", "What is DNA?"],
    ["How does a ﬁrewall work?", "How does a firewall work?"],
    ["Where is the cafe\u0301 de Flore", "Where is the caf\u00e9 de Flore"],
    ["你好，光速是多少？", "光速是多少"],
    ["光速是多少？谢谢", "光速是多少？谢谢"],
    ["ＣＰＵ是什么？", "CPU是什么?"],
    ["介绍一下长城。", "介绍一下长城"],
  ])("%s and %s", (a, b) => {
    expect(same(a, b)).toBe(true);
  });
});

describe("these do not", () => {
  test.each([
    ["What is 5!", "What is 5"],
    ["Compute n!", "Compute n"],
    ["What is x²", "What is x2"],
    ["What is ½", "What is 1⁄2"],
    ["Is ２ a prime?", "Is 2 a prime?"],
    ["Write 1 000 in words", "Write 1  000 in words"],
    ["US elections", "us elections"],
    ["IT jobs", "it jobs"],
    ["Who is Bill Gates?", "Who is bill gates?"],
    ["It works.", "It works?"],
    ["Once upon a time...", "Once upon a time."],
    ["Once upon a time…", "Once upon a time"],
    ["Translate: hello.", "Translate: hello"],
    ['Define "Hello"', 'Define "hello"'],
    ["Define ‘Hello’", "Define ‘hello’"],
    ["Define 'a  b'", "Define 'a b'"],
    ["Explain `A  b`", "Explain `A b`"],
    ["print(1)", "Print(1)"],
    ["A\n  b", "A\n b"],
    ["Hello world", "world"],
    ["Hello", ""],
    ["Thanks", ""],
    ["Please Please Me", "Please Me"],
    ["Is a question mark missing here - where are you", "Is a question mark missing here - where are you?"],
    ["How many letters has Abc.", "How many letters has abc"],
    ["Which is longer, a or b", "Which is longer a or b"],
    ["3 - 2", "3-2"],
    ["not good", "good"],
    ["a to b", "b to a"],
    ["原样输出：ＡＢＣ", "原样输出：ABC"],
    ["他走了？", "他走了。"],
    ["\ud800 is what", "\ud801 is what"],
    ["ⅷ is what", "viii is what"],
    ["What is Ω in physics", "What is ω in physics"],
    ["Translate into French I love you, thanks", "Translate into French I love you"],
    ["How do you say good night, thank you", "How do you say good night"],
    ["Hello, Dolly is which musical", "Dolly is which musical"],
    ["Who wrote Yes, Please", "Who wrote Yes"],
    ["Who likes no, thank you", "Who likes no"],
    ["Turkey", "turkey"],
    ["Polish furniture", "polish furniture"],
    ["March in one line", "march in one line"],
    ["Do it.", "Do it?"],
    ["How nice.", "How nice?"],
    ["Continue the story He left.", "Continue the story He left"],
    ["The cat sat on the mat.", "The cat sat on the mat"],
    ["Korrigiere Ich gehe nach Hause.", "Korrigiere Ich gehe nach Hause"],
    ["Is ， a comma", "Is , a comma"],
    ["Is Ａ like B", "Is A like B"],
    ["他没说什么。", "他没说什么？"],
    ["几何。", "几何？"],
    ["把这句翻译成英文 我爱你。", "把这句翻译成英文 我爱你"],
  ])("%s and %s", (a, b) => {
    expect(same(a, b)).toBe(false);
  });
});

test.each([
  ["mail", "Write to ann@example.com"],
  ["telephone", "Call +49 (30) 1234-5678"],
  ["card", "Is 4111 1111 1111 1111 valid"],
  ["iban", "Is DE89 3704 0044 valid"],
  ["moment", "What is the weather today"],
  ["moment", "Who is the CURRENT president"],
  ["moment", "latest news"],
  ["person", "Where is my order"],
  ["moment", "今天天气如何"],
  ["moment", "现在几点"],
  ["person", "我的订单在哪"],
  ["quotes", "Define “love”"],
  ["code", "What does a{b} do"],
  ["lines", "One\ntwo"],
])("%s: %j is asked again word for word", (_, text) => {
  expect(isLiteral(text)).toBe(true);
});

test("a form is its own form, and never empty", () => {
  const words = fc.constantFrom(
    "Hello",
    ",",
    " ",
    "what",
    "is",
    "DNA",
    "?",
    ".",
    "谢谢",
    "，",
    "你好",
    "!",
    "5",
    "Ａ",
  );
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 12 }), (drawn) => {
      const text = `What is ${drawn.join("")}`;
      if (isLiteral(text)) return;
      const form = canonicalOf(text);
      expect(form).not.toBe("");
      expect(canonicalOf(form).length).toBeLessThanOrEqual(form.length);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});

test("digits, and all letters but the first one of a question, stay as they are", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 2, maxLength: 6 }), (drawn) => {
      const text = `What is ${drawn.join(" ")}`;
      if (isLiteral(text)) return;
      expect(canonicalOf(text).slice(1)).toBe(text.slice(1));
    }),
    { seed: 2, numRuns: 2_000 },
  );
});
