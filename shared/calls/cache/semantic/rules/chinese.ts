/** The Chinese that the rules know. What is not listed here must be the same in both texts, character by character. */

/** Other forms of a character. */
export const variants: ReadonlyMap<string, string> = new Map(
  ["臺台", "爲為", "妳你", "裡裏", "峯峰", "羣群", "啓啟"].map((pair): [string, string] => {
    const [from = "", to = ""] = pair;
    return [from, to];
  }),
);

/** Manners at the beginning of a part of a sentence. */
export const manners =
  /(?<=^|[,.!?;])(?:(?:你好呀?|您好|嗨|哈喽|早上好|下午好|晚上好呀?|老师好|在吗|先谢谢了|谢谢你?|多谢|辛苦[了啦]|拜托)(?=[,.!?;]|$)|请问(?:一下)?|想?请教一下|我想(?:请问|了解|知道)|可以请你|可不可以帮我|(?:能不能|能否|可以|能|请)帮我|麻烦你?|如果方便的话|请?告诉我|帮我|给我(?=推荐|讲|介绍|列|写|解释)|请你?(?=[^\p{P}\s]))+/gu;

/** Particles at its end that mark a question or a tone. 了 is none of them: it says that something has happened. */
export const particles = /(?<![吗呢呀啊吧呗嘛])[吗呢呀啊吧呗嘛]+(?=[,.!?;]|$)/gu;

/** What is asked at the end of a part. In the middle these words belong to others: 苹果是什么公司. */
export const ends = /(?:(是什么|是啥|叫什么(?:名字)?|叫啥)|(有哪些|(?:分别)?是哪些))(?=[,.!?;]|$)/gu;

/** Phrases that mean the same, and what they count as. */
const phraseLines: readonly (readonly [counts: string, phrases: string])[] = [
  [" ?why ", "为什么 為什麼 为何 为啥 什么原因 什么缘故"],
  [" ?when ", "什么时候 什么时间 何时 啥时候"],
  [" ?where ", "哪里 哪儿 何处 什么地方"],
  [" ?how_long ", "多长时间 多久"],
  [" ?how_many ", "多少"],
  [" ?how ", "怎么 怎样 如何 怎麼 咋"],
  [" ?who ", "谁"],
  [" ?what ", "什么 啥"],
  [" ?which ", "哪个 哪一个"],
  ["", "一下"],
  ["电脑", "计算机"],
  ["番茄", "西红柿"],
  ["土豆", "马铃薯"],
  ["父亲", "爸爸"],
  ["母亲", "妈妈"],
  ["总共", "一共"],
  ["原因", "理由"],
  ["携带", "带"],
  ["乘飞机", "坐飞机 乘坐飞机"],
  ["本名", "原名"],
  ["好处", "优点"],
  ["坏处", "缺点"],
  ["介绍", "讲讲 说说"],
  ["手机号", "手机号码"],
  ["如果", "假如 要是 倘若"],
  ["必须", "必需"],
  ["所有", "全部"],
  ["医生", "大夫"],
  ["自行车", "单车"],
  ["获取", "取得"],
];

/** What a phrase counts as. */
export const phrases: ReadonlyMap<string, string> = new Map(
  phraseLines.flatMap(([counts, list]) =>
    `${list} ${counts.includes("?") ? "" : counts}`
      .trim()
      .split(" ")
      .map((phrase): [string, string] => [phrase, counts]),
  ),
);

/** Finds phrases, the longest first, so that none hides in another. */
export const phrase = new RegExp(
  [...phrases.keys()].sort((one, other) => other.length - one.length).join("|"),
  "gu",
);

const digits = new Map([..."〇零一二三四五六七八九"].map((digit, at) => [digit, Math.max(0, at - 1)]));
digits.set("两", 2);
const powers = new Map([
  ["十", 10],
  ["百", 100],
  ["千", 1000],
]);

/** Finds numbers that are written in Chinese. */
export const numeral = /[〇零一二三四五六七八九十百千万两]+/gu;

/** The digits of a number in Chinese; as it stands where that is not certain: 一万二 is 12,000, and such forms stay. */
export function numberOf(text: string): string {
  if (/^[〇零一二三四五六七八九]{2,}$/u.test(text))
    return [...text].map((digit) => digits.get(digit)).join("");
  const [, thousands, rest = ""] = /^(?:(.+)万)?(.*)$/su.exec(text) ?? [];
  const high = thousands === undefined ? 0 : sectionOf(thousands);
  const low = rest === "" ? 0 : sectionOf(rest);
  if (high === undefined || low === undefined || text === "万") return text;
  // 一万二 means twelve thousand, and 一万零二 ten thousand and two.
  if (high > 0 && low > 0 && low < 1000 && !rest.startsWith("零")) return text;
  return String(high * 10_000 + low);
}

/** A number below ten thousand, or undefined for any other form. */
function sectionOf(text: string): number | undefined {
  const form =
    /^(?:([一二三四五六七八九两])千)?(零?)(?:([一二三四五六七八九两])百)?(零?)(?:([一二三四五六七八九])?十)?(零?)([一二三四五六七八九两〇零])?$/u;
  const found = form.exec(text);
  if (!found) return undefined;
  const [, thousands, , hundreds, , tens, gap = "", ones] = found;
  const hasTen = text.includes("十");
  // 三百五 means three hundred and fifty.
  if (
    ones !== undefined &&
    !hasTen &&
    (hundreds ?? thousands) !== undefined &&
    gap === "" &&
    !/零./u.test(text)
  ) {
    return undefined;
  }
  const value = (digit: string | undefined, power: string) =>
    digit === undefined ? 0 : (digits.get(digit) ?? 0) * (powers.get(power) ?? 1);
  const ten = hasTen ? (tens === undefined ? 10 : value(tens, "十")) : 0;
  return value(thousands, "千") + value(hundreds, "百") + ten + value(ones, "");
}
