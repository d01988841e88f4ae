/** What the rules read of a text: its signs, and its words in the form in which they are compared. */

import { ends, manners, numberOf, numeral, particles, phrase, phrases, variants } from "./chinese.ts";
import { casedWords, functionWords } from "./english.ts";
import { framed } from "./frames.ts";
import { american, numberWords, sameWords } from "./spellings.ts";

interface Reading {
  /** What stands between spaces and has a sign in it, such as `C++` or `(8`, in its order and with its letter case. */
  signs: string[];
  /** Sentences, each as its words. `,` is one of them. */
  sentences: string[][];
  /** Words with a capital letter inside a sentence, in small letters. */
  names: ReadonlySet<string>;
}

/** Only these are read. Other scripts and invisible characters may hide a difference. */
const readable = /^[\p{Script=Latin}\p{Script=Han}\p{P}\p{S}\p{N}\p{Zs}\t\u3005\u3007]*$/u;

/** Something that is no mark of a sentence, no apostrophe and no hyphen. */
const sign = /[^\p{L}\p{N}\s.,!?'《》，。？！、…%-]|^[.,!?]{2,}$|[.,!?][\p{L}.,!?-]|^-|\p{N}-|-\p{N}/u;

/** A text as it is compared. Undefined where it has a script or a character that the rules do not know. */
export function read(text: string): Reading | undefined {
  if (!text.isWellFormed()) return undefined;
  const plain = text.normalize("NFKC").trim();
  if (!readable.test(plain)) return undefined;
  // Superscripts and circled digits become plain digits by NFKC, so they count as they stand.
  const special = text.match(/\p{No}/gu) ?? [];
  const spaced = marked(plain.replace(/[’‘`´]/gu, "'"));
  const chunks = spaced.replace(/(?<=\p{Script=Han})|(?=\p{Script=Han})/gu, " ").split(" ");
  const signs = chunks
    .map((chunk) => chunk.replace(/(?<=[^.,!?])[.,!?]+$/u, ""))
    .filter((chunk) => sign.test(chunk));
  const { text: cased, names } = withCases(spaced);
  return { signs: [...special, ...signs], sentences: sentencesOf(cased), names };
}

/** White space as one space, the marks of a sentence in one form, and hyphens as spaces. */
function marked(text: string): string {
  return text
    .replace(/[。！？；]/gu, (mark) => ({ "！": "!", "？": "?", "；": ";" })[mark] ?? ".")
    .replace(/[，、]/gu, ",")
    .replace(/%/gu, " percent ")
    .replace(/\s+/gu, " ")
    .replace(/(?<=[\p{L}\p{N}]) [-–—]{1,2} (?=\p{L})/gu, " , ")
    .replace(/(?<=\p{Script=Han})[-–—]{2}(?=\p{Script=Han})/gu, ",")
    .replace(/\be-mail/giu, "email")
    .replace(/(?<=\p{L})[-–—](?=\p{L})/gu, " ")
    .replace(/(?<=\p{Script=Han}) (?=[\p{Script=Han}\p{N}])/gu, "")
    .trim();
}

/** Letter case as it counts: names, single letters and words with capitals inside keep it. Others are made small. */
function withCases(text: string): { text: string; names: Set<string> } {
  const names = new Set<string>();
  const isShouted = !/\p{Ll}/u.test(text) || isTitled(text);
  let begins = true;
  const cased = text.replace(/[\p{Script=Latin}\p{N}]+|[.!?;:]/gu, (word) => {
    const isFirst = begins;
    begins = /^[.!?;:]$/u.test(word);
    const lower = word.toLowerCase();
    if (lower === word) return word;
    if (isShouted)
      return casedWords.has(lower) || (lower.length < 3 && !functionWords.has(lower)) ? word : lower;
    if (/^\p{Lu}\p{Ll}+$/u.test(word)) {
      if (isFirst && !casedWords.has(lower)) return lower;
      if (functionWords.has(lower)) return word;
    } else if (word === "I" || (isFirst && word === "A")) return lower;
    else if (!/^\p{Lu}+$/u.test(word) || word.length < 3 || functionWords.has(lower)) return word;
    if (casedWords.has(lower)) return word;
    names.add(lower);
    return lower;
  });
  return { text: cased, names };
}

/** Whether each word begins with a capital letter, so that none of them says anything. */
function isTitled(text: string): boolean {
  const found = text.match(/[\p{Script=Latin}]+/gu) ?? [];
  return found.length > 3 && found.every((each) => /^\p{Lu}/u.test(each));
}

const word =
  /\p{Script=Han}|\?[a-z_]+|\d+(?:[.,]\d+)*|[\p{Script=Latin}_][\p{Script=Latin}\p{N}_]*(?:[.'&][\p{Script=Latin}\p{N}]+)*|\p{N}|[,.;!?]/gu;

function sentencesOf(text: string): string[][] {
  const chinese = text
    .replace(/[臺爲為妳裡峯羣啓]/gu, (character) => variants.get(character) ?? character)
    .replace(manners, "")
    .replace(particles, "")
    .replace(ends, (_, one?: string) => (one ? " ?what_is " : " ?which_are "))
    .replace(phrase, (found) => phrases.get(found) ?? found)
    .replace(numeral, (number) => numberOf(number));
  const sentences: string[][] = [];
  let sentence: string[] = [];
  const end = () => {
    const kept = sentence.filter((key, at) => key !== "," || !isSpare(sentence, at));
    if (kept.length > 0) sentences.push(kept);
    sentence = [];
  };
  for (const found of framed(chinese).match(word) ?? []) {
    if (/^[.;!?]$/u.test(found)) end();
    else sentence.push(keyOf(found));
  }
  end();
  return sentences;
}

/** A word at which a part of a sentence begins, with a comma before it or without. */
const begins =
  /^(?:\?\w+|what|which|whose|is|are|was|were|do|does|did|can|may|should|would|will|must|if|under|during|according)$/u;

/** Whether a comma says nothing, because it stands at the beginning, at the end, or where a part begins anyway. */
function isSpare(sentence: readonly string[], at: number): boolean {
  const next = sentence[at + 1];
  if (at === 0 || next === undefined || begins.test(next)) return true;
  return /^(?:and|but)$/u.test(next) && /^(?:i|we|he|she|it|they|you)$/u.test(sentence[at + 2] ?? "");
}

/** A word as it is compared: numbers by their digits, other spellings and synonyms as one of them. */
function keyOf(found: string): string {
  const plain = american(found);
  const spelled = sameWords.get(plain) ?? plain;
  const number = numberWords.get(spelled) ?? spelled;
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(number) ? number.replaceAll(",", "") : number;
}
