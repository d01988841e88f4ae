/** The English that the rules know. What is not listed here must be the same in both texts. */

const words = (...lines: string[]) => lines.join(" ").split(" ");

/**
 * Words that change little, by what they count as: auxiliary verbs, and prepositions without an opposite. One text may
 * have more of them than the other. It may not have others: `What is a nurse?` and `What does a nurse do?` differ.
 */
export const mildWords: ReadonlyMap<string, string> = new Map([
  ...words("is are am be been being").map((word): [string, string] => [word, "be"]),
  ...words("do does doing").map((word): [string, string] => [word, "do"]),
  ...words("has have having").map((word): [string, string] => [word, "have"]),
  ...words("what which").map((word): [string, string] => [word, "what"]),
  ...words("of in at for to as that there").map((word): [string, string] => [word, word]),
]);

/** `What is time?` and `What is the time?` differ, so articles count in a short text. */
export const articles = new Set(words("a an the"));

/** Words that turn a text around. */
export const negations = new Set(
  words(
    "not no never none nobody nothing nowhere neither nor without hardly barely scarcely rarely seldom cannot lack",
    "except unless instead against avoid stop fail false off non un 不 没 无 非 别 未 勿 莫 否 沒 無 別",
  ),
);

export const connectives = new Set(
  words(
    "and or but because although though if whether while until till unless since so when whenever either both than then",
    "和 或 与 及 且 但 因 虽 只 才 就 除 跟 则",
  ),
);

/** How much of something is meant. */
export const scopes = new Set(
  words(
    "all any every each some most many few a_few several only even both either half whole entire partly mainly usually",
    "just always often sometimes more most less least fewer much a_lot at_least at_most exactly about up_to 所 每 各 全 都 部 仅",
  ),
);

/** Words that say from where to where, or which way round. */
export const directions = new Set(
  words(
    "from into onto out up down over under above below before after by per between with through via toward towards",
    "within during across off on against versus vs to_ 从 到 向 往 给 被 把 先 后 前 由 比",
  ),
);

/** Words that place something in time. */
export const times = new Set(
  words(
    "was were did had will would shall early late earlier later once already still yet anymore again morning noon evening",
    "night midnight day days week weeks month months year years hour hours minute minutes second seconds century decade",
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september",
    "october november december spring summer autumn fall winter am pm 年 月 日 天 周 时 了 过 曾 将",
  ),
);

/** Measures and currencies. */
export const units = new Set(
  words(
    "percent metre metres meter meters km cm mm kg mg lb lbs oz mile miles foot feet inch inches yard yards gram grams",
    "kilogram kilograms pound pounds ounce ounces ton tons litre litres liter liters ml gallon gallons acre acres hectare",
    "hectares watt watts volt volts amp amps joule joules calorie calories celsius fahrenheit kelvin byte bytes bit bits kb",
    "mb gb tb px em rem hz khz mhz ghz mph euro euros dollar dollars usd eur gbp cny jpy yen yuan rupee rupees cent cents",
    "元 斤 两 里 米 尺 寸 丈 克 吨 升 度 个 双 打 首 句 段 篇 角 分 秒",
  ),
);

/** Words that say nothing wherever they stand. */
export const fillers = new Set(words("please kindly pls plz we"));

/** Function words that are something else in capitals: the WHO, IT, the US. */
export const functionWords = new Set(
  words(
    "who it us am may will is as at or in on no me my we he she him her his do did was were be to of by if an the and",
    "for not but so up go you your how what when where why which are can had has have i a its they them this that all one",
    "out off per any our than then from with does",
  ),
);

/** Words that mean something else with a capital letter. */
export const casedWords = new Set(
  words(
    "turkey polish china march may august job apple windows word excel access teams slack oracle amazon target shell visa",
    "gap subway orange ruby rust go swift dart basic elixir crystal nice reading bath cork mobile",
    "phoenix buffalo jordan chad georgia mercury god will mark bill frank rose grace hope faith joy art jack",
    "rich guy dean king bishop baker cook smith hunter mason carter miller swede dane finn pole poles lent mass sat act cat",
    "aids ram pin sim led pan ace scratch flash spark",
    "kafka hive beam storm drill nest express next meta chrome safari edge bash fish echo alien aliens titanic frozen up",
    "cars brave inside coco soul bolt steam epic unity unreal blender affinity sketch signal telegram zoom notion box",
  ),
);
