/** Ways to ask in English that mean the same, each with the form that it counts as. They expect small letters. */

/** What stands before or behind a question and asks nothing. */
const manners: readonly RegExp[] = [
  /^(?:(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day)|dear (?:assistant|ai|team|all|sir|madam))(?: (?:there|team|all|everyone))? ?[,.!] ?)+/u,
  /^if (?:it is not too much trouble|you do not mind|possible) ?, ?/u,
  /^(?:please ?,? ?)+(?:help me ?[:,]? ?)?/u,
  /^(?:would you mind telling me|may i ask|i (?:would like|want) to know|(?:(?:can|could|would|will) you |be so kind as to )?(?:please )?(?:kindly )?(?:tell me|let me know))(?= (?:what|which|who|whom|whose|when|where|why|how|if|whether)\b)/u,
  /^(?:(?:can|could|would|will) you(?: please| kindly)?|would you mind|i would be grateful if you could|i would like you to|be so kind as to|do you think you could|(?:is there )?any chance you (?:can|could)) (?=(?:tell|list|name|explain|describe|write|draft|convert|give|show|compare|summarize|translate|rewrite|help)\b)/u,
  / ?[,.!?] ?(?:please|thanks|thank you|many thanks|cheers|thanks in advance)(?: ?[.!])*$/u,
  / for me(?= ?,?(?: please)? ?[?.!]*$)(?<=^(?:please )?(?:convert|list|write|draft|summarize|summarise|explain|compare|name)\b.* for me)/u,
];

const frames: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:how (?:do|can|could|would|might) (?:i|you|we|one)|how does (?:one|someone)|how to|what is (?:the|a) (?:way|method) to|what do i (?:need to|have to) do to)\b/gu,
    "?how",
  ],
  [/\b(?:what is the reason (?:for|that|why)|for what reason|how come)(?=\s)/gu, "?why"],
  [/\b(?:in|during) (?:what|which) (year|month|century|decade|season)\b/gu, "which $1"],
  [/\bhow much is(?= (?:\d|[a-z]+ percent\b))/gu, "what is"],
  [/\bcapital city\b/gu, "capital"],
  [
    /\bhow (many|much|old|long|far|often|tall|big|large|high|fast|deep|wide|heavy|hot|cold|late|early|close|near|strong|expensive)\b/gu,
    "?how_$1",
  ],
  [/\b(?:who is|who was|name) the (?:author|writer) of\b/gu, "who wrote"],
  [/\bwork(ed|s|ing)? out\b/gu, "compute$1"],
  [/\bfind(s)? out\b/gu, "determine$1"],
  [/\ba (few|lot|bit|little)\b/gu, "a_$1"],
  [/\bat (least|most|all)\b/gu, "at_$1"],
  [/\bup to\b/gu, "up_to"],
  [/\bha(?:ve|s) to\b/gu, "must"],
  [/\b(?:is it possible to|am i able to)\b/gu, "can i"],
  [/\bas well as\b/gu, "and"],
  [/\bweb sites?\b/gu, "website"],
  [/\b(why|when|where|how)\b/gu, "?$1"],
  [/\?\?/gu, "?"],
  [/\b(?:who|whom)\b/gu, "?who"],
  [/\bcould(?= (?:i|we|you)\b)/gu, "can"],
];

const contractions: readonly (readonly [RegExp, string])[] = [
  [/\bwon't\b/gu, "will not"],
  [/\b(?:can't|cannot)\b/gu, "can not"],
  [/n't\b/gu, " not"],
  [/\b(what|where|who|how|when|why|it|that|there|here|he|she)'s\b/gu, "$1 is"],
  [/'m\b/gu, " am"],
  [/'re\b/gu, " are"],
  [/'ve\b/gu, " have"],
  [/'ll\b/gu, " will"],
  [/'d\b/gu, " would"],
  [/\bi would like to\b/gu, "i want to"],
];

/** A text in small letters with its manners taken away and its frames in their one form. */
export function framed(text: string): string {
  let plain = contractions.reduce((rest, [form, counts]) => rest.replace(form, counts), text);
  // A greeting may stand before a wish, and thanks behind "for me".
  for (let round = 0; round < 3; round++) {
    for (const form of manners) plain = plain.replace(form, "").trimStart();
  }
  return frames.reduce((rest, [form, counts]) => rest.replace(form, counts), plain);
}
