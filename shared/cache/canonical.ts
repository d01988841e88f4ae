/**
 * Two texts with the same canonical form ask the same (shared/cache/README.md "Which calls"). Only what is listed here is taken
 * away. Where it is not certain that a difference means nothing, it stays.
 */

/** Quotes, code, lines, and what follows a colon must be the same, so such a text is compared as it is. */
const literal =
  /["“”„«»「」『』‹›‘`{}<>=;:\\|~^$#*_\n\r]|(?:^|[^\p{L}])'|'(?:$|[^\p{L}])|[^\p{L}]’(?!\p{L})|\w\(|:\/\//u;

/** Patterns that stand for one person: mail address, long digits (telephone, card, account), IBAN. */
const personal = [/\S@\S/u, /\d(?:[\s().-]{0,2}\d){6,}/u, /\b[A-Z]{2}\d{2}[ ]?[A-Z0-9]{4}/u];

/** Words of a moment, or of a person. An answer to them changes though the text stays the same. */
const moment = new RegExp(
  [
    "\\b(?:today|tonight|tomorrow|yesterday|now|nowadays|current|currently|latest|newest|recent|recently|ago|so far",
    "|this (?:morning|afternoon|evening|week|weekend|month|quarter|year)|(?:next|last) (?:week|month|quarter|year)",
    "|my|mine|our|ours)\\b",
    "|今天|今日|今晚|今早|明天|昨天|后天|前天|现在|目前|当前|此刻|刚才|刚刚|最新|最近|近日|近期|如今",
    "|本周|这周|下周|上周|本月|这个月|下个月|上个月|今年|明年|去年|我的|我们的|我家",
  ].join(""),
  "iu",
);

/** Forms of letters, spaces and punctuation that look different and are the same. No digits and no superscripts. */
const compatible =
  /[\u00a0\u2000-\u200a\u202f\u205f\u3000\ufb00-\ufb06\uff01-\uff0f\uff1a-\uff5e\uff61-\uff64]+/gu;

const greeting =
  /^(?:(?:hi|hello|hey)(?: there)?|good (?:morning|afternoon|evening)|你好|您好|哈喽|嗨|早上好|下午好|晚上好)\s?[,!.。]\s?(?=\S)/iu;
const thanks = /(?<=\S)\s?, ?(?:please|thanks|thank you|many thanks|谢谢|谢谢你|谢谢您|多谢)[.!。]?$/iu;

const asks =
  /^(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will)\b/iu;
const asksInChinese = /什么|谁|哪|为何|怎么|怎样|如何|多少|几|吗$|呢$/u;

/** Words about the very characters of a text. What else is taken away may be what they ask about. */
const verbatim = new RegExp(
  [
    "\\b(?:verbatim|exactly|punctuat\\w*|spell\\w*|misspell\\w*|typos?|grammar|grammatical\\w*|proofread\\w*|letters?",
    "|characters?|commas?|periods?|(?:question|exclamation) marks?|capitali[sz]\\w*|upper-?case|lower-?case|spaces?|spacing|repeat|echo|copy|quote|rewrite|correct)\\b",
    "|原样|逐字|照抄|重复|复述|标点|句号|问号|全角|半角|大写|小写|拼写|错别字|字母|字符|几个字|空格|改写|语法|病句",
  ].join(""),
  "iu",
);

/**
 * Whether a text must be asked again word for word. It may be personal, of the moment, or about its own characters. Or
 * it has quotes, a colon, code or lines.
 */
export function isLiteral(text: string): boolean {
  const plain = text.trim().normalize("NFKC");
  return [literal, ...personal, moment, verbatim].some((pattern) => pattern.test(plain));
}

/** The canonical form of a text that is not literal. The same text gives the same form, and a form gives itself. */
export function canonicalOf(text: string): string {
  const plain = text
    .replace(compatible, (run) => run.normalize("NFKC"))
    .normalize("NFC")
    .trim()
    .replace(/[ \t]+/gu, (run, at: number, whole: string) =>
      betweenDigits(whole, at, run.length) ? run : " ",
    );
  const question = withoutEnd(plain.replace(greeting, "").replace(thanks, ""));
  const bare = question === "" ? plain : question;
  return bare.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}

/** Groups of digits: how they are spaced may be part of what is asked. */
function betweenDigits(whole: string, at: number, length: number): boolean {
  return /\p{N}/u.test(whole[at - 1] ?? "") && /\p{N}/u.test(whole[at + length] ?? "");
}

/**
 * Without the mark at its end, if that stands behind a letter: "5!" and "n..." mean something. A question mark goes only
 * where the words ask by themselves.
 */
function withoutEnd(text: string): string {
  const [, words = "", mark] = /^(.*\p{L}) ?([.。?？])$/su.exec(text) ?? [];
  if (mark === undefined) return text;
  if (mark === "." || mark === "。") return words;
  return asks.test(words) || asksInChinese.test(words) ? words : text;
}
