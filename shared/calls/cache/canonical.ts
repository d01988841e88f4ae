/** Texts with the same canonical form ask the same. What may mean something stays (README.md "Which calls"). */

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

/** A form of a character that stands alone, such as a full-width letter between spaces. It may be what is asked about. */
const alone = /(?:^|\s)[\ufb00-\ufb06\uff01-\uff5e\uff61-\uff64](?=\s|$)/u;

const greeting =
  /^(?:(?:hi|hello|hey)(?: there)?|good (?:morning|afternoon|evening)|你好|您好|哈喽|嗨|早上好|下午好|晚上好)\s?[,!.。]\s?(?=\S)/iu;
/** In small letters: "Who wrote Yes, Please" names a book. */
const thanks =
  /(?<=\S)(?<!\b(?:[Yy]es|[Nn]o))\s?, ?(?:please|thanks|thank you|many thanks|谢谢|谢谢你|谢谢您|多谢)[.!。]?$/u;

/** How a text begins, or ends in Chinese, that asks for knowledge, and so means the same with its mark and without. */
const asks =
  /^(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would)\b/iu;
const asksInChinese =
  /^(?:请问 ?)?(?:什么|谁|哪|为什么|为何|怎么|怎样|如何|多少)|(?:吗|是什么|是谁|有哪些|多少|为什么)[?？]?$/u;
/** How a text begins that wishes for knowledge. Its full stop says nothing. */
const wishes =
  /^(?:explain|describe|name|list|give|tell|compare)\b|^(?:请|请你)?(?:介绍|解释|说明|列出|比较)/iu;

/** Words about the very words or characters of a text. What else is taken away may be what they ask about. */
const verbatim = new RegExp(
  [
    "\\b(?:verbatim|exactly|punctuat\\w*|spell\\w*|misspell\\w*|typos?|grammar|grammatical\\w*|proofread\\w*|letters?",
    "|characters?|commas?|periods?|(?:question|exclamation) marks?|capitali[sz]\\w*|upper-?case|lower-?case|spaces?",
    "|spacing|repeat|echo|copy|quote|rewrite|correct|words?|sentences?|phrases?|phrasing|paraphras\\w*|translat\\w*",
    "|say|says|saying|said|call|called|means?|meaning|tone|polite\\w*|sentiment|greet\\w*|titles?|titled|lyrics?|songs?|sang",
    "|sings?|sung|rhym\\w*|syllables?|synonyms?|pronounc\\w*|symbols?|unicode|code ?points?|emojis?)\\b",
    "|原样|逐字|照抄|重复|复述|标点|句号|问号|全角|半角|大写|小写|拼写|错别字|字母|字符|几个字|空格|改写|语法|病句",
    "|翻译|句|词|怎么说|意思|语气|礼貌|歌|书名|诗",
  ].join(""),
  "iu",
);

/** Whether a text must be asked again word for word. One that begins like no question above may be one to work on. */
export function isLiteral(text: string): boolean {
  const plain = text.trim().normalize("NFKC");
  if (alone.test(text) || [literal, ...personal, moment, verbatim].some((pattern) => pattern.test(plain)))
    return true;
  const bare = withoutManners(formed(text));
  return ![asks, asksInChinese, wishes].some((pattern) => pattern.test(bare));
}

/** The canonical form of a text that is not literal. The same text gives the same form, and a form gives itself. */
export function canonicalOf(text: string): string {
  const plain = formed(text);
  const bare = withoutEnd(withoutManners(plain)) || plain;
  return bare.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}

function formed(text: string): string {
  return text
    .replace(compatible, (run) => run.normalize("NFKC"))
    .normalize("NFC")
    .trim()
    .replace(/[ \t]+/gu, (run, at: number, whole: string) =>
      betweenDigits(whole, at, run.length) ? run : " ",
    );
}

function withoutManners(text: string): string {
  return text.replace(greeting, "").replace(thanks, "");
}

/** Groups of digits: how they are spaced may be part of what is asked. */
function betweenDigits(whole: string, at: number, length: number): boolean {
  return /\p{N}/u.test(whole[at - 1] ?? "") && /\p{N}/u.test(whole[at + length] ?? "");
}

/** Without the mark behind its last letter: a question's question mark, a wish's full stop. "Do it." is no "Do it?". */
function withoutEnd(text: string): string {
  const [, words = "", mark] = /^(.*\p{L}) ?([.。?？])$/su.exec(text) ?? [];
  if (mark === undefined) return text;
  const isQuestion = mark === "?" || mark === "？";
  const patterns = isQuestion ? [asks, asksInChinese] : [wishes];
  return patterns.some((pattern) => pattern.test(words)) ? words : text;
}
