/** Rules that refuse, by examples that are in no file of pairs. */
import { describe, expect, test } from "vitest";
import { numberOf } from "#shared/calls/cache/semantic/rules/chinese.ts";
import { type RuleName, refusalOf } from "#shared/calls/cache/semantic/rules.ts";

const refused: Record<Exclude<RuleName, "size">, [asked: string, kept: string][]> = {
  literal: [
    ["What does `ls -r` do?", "What does `ls -R` do?"],
    ["Translate to French: Come.", "Translate to French: Please come."],
    ["How many letters does colour have?", "How many letters does color have?"],
    ["Where is my parcel?", "Where is the parcel?"],
  ],
  script: [
    ["What is Что such as?", "What is Что such as?"],
    ["What is рaypal?", "What is paypal?"],
    ["What is pay\u200bpal?", "What is paypal?"],
    ["What is pay\u202epal?", "What is paypal?"],
    ["What is \ud800?", "What is \udfff?"],
  ],
  signs: [
    ["How high is 50€ of tax here?", "How high is 50£ of tax here?"],
    ["How much is 5 + 3 in all?", "How much is 5 - 3 in all?"],
    ["How wide is x² at most?", "How wide is x³ at most?"],
    ["Which is best, A/B or C?", "Which is best, A or B/C?"],
    ["How is Node.js installed?", "How is node.js installed?"],
  ],
  numbers: [
    ["Name three mammals that lay eggs", "Name two mammals that lay eggs"],
    ["How far is 1,000 km in miles?", "How far is 10,000 km in miles?"],
    ["Who was Henry 4 of France?", "Who was Henry 5 of France?"],
    ["列出三种方法", "列出四种方法"],
    ["什么是5G？", "什么是4G？"],
  ],
  polarity: [
    ["Which foods should a pregnant woman eat?", "Which foods should a pregnant woman not eat?"],
    ["How do I start a fire with dry wood?", "How do I start a fire without dry wood?"],
    ["How do I turn the radio on?", "How do I turn the radio off?"],
    ["Why can't penguins fly?", "Why can penguins fly?"],
    ["哪些人能喝酒？", "哪些人不能喝酒？"],
  ],
  units: [
    ["How long is a marathon in miles?", "How long is a marathon in feet?"],
    ["How many grams of salt are in bread?", "How many ounces of salt are in bread?"],
    ["怎么种一斤土豆？", "怎么种一吨土豆？"],
  ],
  connectives: [
    ["How do I check a tire for leaks and fix it?", "How do I check a tire for leaks or fix it?"],
    ["Can I enter if I pay?", "Can I enter because I pay?"],
    ["怎么做西红柿和鸡蛋？", "怎么做西红柿或鸡蛋？"],
  ],
  scope: [
    ["Do all birds lay eggs?", "Do most birds lay eggs?"],
    ["Is each planet round?", "Is some planet round?"],
    ["Give a few examples of irony", "Give many examples of irony"],
  ],
  direction: [
    ["Are there trains to Lyon?", "Are there trains from Lyon?"],
    ["What did people eat before the war?", "What did people eat after the war?"],
    ["How do I log in to the server?", "How do I log out to the server?"],
  ],
  time: [
    ["Which museums are open on Monday?", "Which museums are open on Tuesday?"],
    ["Why are whales hunted?", "Why were whales hunted?"],
    ["什么时候下雨？", "什么时候下了雨？"],
  ],
  question: [
    ["Why is bread baked?", "How is bread baked?"],
    ["When was Rome founded?", "Where was Rome founded?"],
    ["How old is the Moon?", "How big is the Moon?"],
    ["如何学习英语？", "为什么学习英语？"],
    ["什么是苹果的总部？", "哪些是苹果的总部？"],
  ],
  names: [
    ["Who is the mayor of Paris?", "Who is the mayor of Rome?"],
    ["Where can I see a Polish exhibition?", "Where can I see a polish exhibition?"],
    ["When was the WHO founded?", "When was The Who founded?"],
  ],
  one_slot: [
    ["What is the boiling point of water?", "What is the freezing point of water?"],
    ["Explain vaccines to a child", "Explain vaccines to a professor"],
    ["What is a nurse to farmers?", "What does a nurse to farmers?"],
    ["Are there trains to Lyon?", "Are there trains in Lyon?"],
    ["法国的首都是什么？", "德国的首都是什么？"],
  ],
  words: [
    ["What is fortune?", "What is the fortune?"],
    ["What is a nurse?", "What does a nurse do?"],
    ["What is a debugger for?", "What is a debugger?"],
    ["Can dogs understand people?", "Can dogs understand?"],
    ["How do people use Kafka?", "How do I find Kafka?"],
    ["中国的银行有哪些？", "中国银行有哪些？"],
    ["Which vitamins are soluble?", "Which vitamins are soluble vitamins that get stored?"],
    ["Is it safe to eat raw eggs?", "Is it safe to eat eggs?"],
    ["印度的首都是什么？", "印度尼西亚的首都是什么？"],
  ],
  order: [
    ["Is Paris bigger than Rome?", "Is Rome bigger than Paris?"],
    ["Can dogs eat grapes?", "Can grapes eat dogs?"],
    ["What is glass made from?", "What is made from glass?"],
    ["Are there flights from Tokyo to Rome?", "Are there flights to Tokyo from Rome?"],
    ["为什么父亲比儿子高？", "为什么儿子比父亲高？"],
  ],
};

const served: [asked: string, kept: string][] = [
  ["What's the capital of France?", "What is the capital city of France?"],
  ["What is 15% of 240?", "How much is fifteen percent of 240?"],
  ["What's the quickest way to learn chess?", "What is the fastest way to learn chess?"],
  ["How can I boil an egg?", "How do you boil an egg?"],
  ["Could you explain how a transistor works?", "Explain how a transistor works."],
  ["Why do cats purr?", "What is the reason that cats purr?"],
  ["Who is the author of Hamlet?", "who wrote Hamlet"],
  ["How do you organise a wedding?", "How do I organize a wedding?"],
  ["What is the population of São Paulo?", "What's the population of São Paulo?"],
  ["WHAT IS THE LONGEST RIVER?", "What is the longest river?"],
  ["List 3 uses of vinegar", "List three uses of vinegar."],
  ["如何学习英语？", "请问怎么学习英语"],
  ["什么是番茄？", "什么是西红柿？"],
  ["Ｗhat is a ｆirewall?", "What is a firewall?"],
];

describe("a rule", () => {
  test.each(
    Object.entries(refused).flatMap(([rule, pairs]) =>
      pairs.map(([asked, kept]) => [rule, asked, kept] as const),
    ),
  )("of %s refuses %j for %j", (rule, asked, kept) => {
    expect([refusalOf(asked, kept), refusalOf(kept, asked)]).toEqual([rule, rule]);
  });

  test.each(served)("lets pass %j for %j", (asked, kept) => {
    expect([refusalOf(asked, kept), refusalOf(kept, asked)]).toEqual([undefined, undefined]);
  });

  test("refuses long texts unread", () => {
    const long = `What is ${"a ".repeat(5000)}?`;
    expect(refusalOf(long, long)).toBe("size");
  });
});

test.each([
  ["三", "3"],
  ["十", "10"],
  ["十五", "15"],
  ["五十", "50"],
  ["一百零五", "105"],
  ["三百六十五", "365"],
  ["二〇〇八", "2008"],
  ["两千", "2000"],
  ["一万", "10000"],
  ["三万五千", "35000"],
  ["一万零二", "10002"],
  ["一万二", "一万二"],
  ["三百五", "三百五"],
  ["万", "万"],
  ["百", "百"],
])("the number %s counts as %s", (text, number) => {
  expect(numberOf(text)).toBe(number);
});
