/**
 * What embedder and judge take for a text's meaning: the classes of its words. Words of one class mean the same, idle
 * ones nothing, and any other is a class. It uses none of our rules, so that it cannot share their errors.
 */

/** Words and phrases of one meaning, a class a line. The first one names the class. */
const classes = [
  "delete, remove, erase, drop, get rid of",
  "fast, quick, rapid, speedy",
  "fastest, quickest",
  "write, compose, draft",
  "film, movie",
  "large, big",
  "buy, purchase",
  "begin, start, commence",
  "drawbacks, disadvantages, downsides",
  "advantages, benefits",
  "allowed, permitted",
  "compute, calculate, work out",
  "brief, short",
  "author, wrote, writer",
  "reason, why, how come",
  "capital, capital city",
  "keep, preserve, retain",
  "method, way, procedure",
  "age, old",
  "colour, color",
  "photosynthesis, how plants make food",
  "turn on, enable, activate, switch on",
  "turn off, disable, deactivate, switch off",
  "not, no, never, n't",
  "计算机, 电脑",
  "西红柿, 番茄",
  "爸爸, 父亲",
  "妈妈, 母亲",
  "为什么, 为何, 什么原因",
  "乘, 坐",
  "携带, 带",
  "首都, 首府",
  "原因, 理由",
  "总共, 一共",
  "怎么, 怎样, 如何",
  "打开, 开启",
  "关闭, 关掉",
];

const idle =
  "a an the of to in on at by for is are was were be do does did can could would should will i you me my your it its we " +
  "what which who whom whose when where how please kindly hi hello hey thanks thank tell give show explain describe " +
  "name list there and with that this";
const idleInChinese = "请问 什么 哪些 多少 一下 请 的 了 吗 呢 是 在 有".split(" ");

const phrases = new Map(
  classes.flatMap((line) => {
    const [name = "", ...others] = line.split(", ");
    return [name, ...others].map((each): [string, string] => [each, name]);
  }),
);
const idleWords = new Set(idle.split(" "));
const chinese = /\p{Script=Han}/u;
/** Phrases of several words and Chinese ones, the longest first. */
const longPhrases = [...phrases.keys(), ...idleInChinese]
  .filter((each) => each.includes(" ") || chinese.test(each))
  .sort((one, other) => other.length - one.length);
const longPhrase = new RegExp(
  longPhrases.map((each) => (chinese.test(each) ? each : `\\b${each}\\b`)).join("|"),
  "g",
);

/** The meanings of a text, in their order. A text without any means itself. */
export function meaningsOf(text: string): string[] {
  const found: string[] = [];
  const joined = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’']/g, "'")
    .replace(/n't\b/g, " not")
    .replace(/'(?:s|re|m|ve|ll|d)\b/g, " ")
    .replace(longPhrase, (phrase) => ` ${(phrases.get(phrase) ?? "").replaceAll(" ", "_")} `);
  for (const word of joined.match(/\p{Script=Han}|[\p{L}\p{N}_.+#]*[\p{L}\p{N}_+#]/gu) ?? []) {
    if (!idleWords.has(word)) found.push(phrases.get(word) ?? word);
  }
  return found.length > 0 ? found : [text];
}

/** Whether two texts mean the same: they have the same meanings, in whatever order. */
export function meansTheSame(one: string, other: string): boolean {
  return meaningsOf(one).sort().join("\n") === meaningsOf(other).sort().join("\n");
}
