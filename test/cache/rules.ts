/** The rules that `npm run cache-eval` can judge: the product's, and two controls. */
import { meansTheSame } from "#infra/local/demo/meanings.ts";
import { canonicalOf, isLiteral } from "#shared/calls/cache/canonical.ts";
import { refusalOf } from "#shared/calls/cache/semantic/rules.ts";

export interface Rule {
  /** Whether the rule would answer the one text with the answer to the other. */
  serves: (a: string, b: string) => boolean;
  /** Whether the rule may serve no trap at all. */
  isExact: boolean;
}

/** By the name that `--rule` takes. */
export const rules: Readonly<Record<string, Rule>> = {
  canonical: { serves: sameCanonical, isExact: true },
  // The semantic level with an embedder that proposes every pair: what a context serves that is trusted …
  semantic: { serves: (a, b) => sameCanonical(a, b) || refusalOf(a, b) === undefined, isExact: false },
  // … and what any other serves, with the demo provider's judge. It says nothing of a real one.
  "semantic-judged": {
    serves: (a, b) => sameCanonical(a, b) || (refusalOf(a, b) === undefined && meansTheSame(a, b)),
    isExact: false,
  },
  // The upper control: it can serve no trap, and nothing that is written differently.
  equal: { serves: (a, b) => a === b, isExact: true },
  // The lower control: what looks reasonable and is not safe.
  "content-words": {
    serves: (a, b) => contentWords(a).join(" ") === contentWords(b).join(" "),
    isExact: false,
  },
};

/** The cache's two levels together: the same text, or the same canonical form of texts that may have one. */
function sameCanonical(a: string, b: string): boolean {
  return a === b || (!isLiteral(a) && !isLiteral(b) && canonicalOf(a) === canonicalOf(b));
}

/** English words that seldom decide what is asked. */
const idleWords = new Set(
  [
    "a an the this that these those of to in on at by for with from as and or but if then so than",
    "is are was were be been am do does did has have had can could should would will may might must",
    "i you he she it we they me my your his her its our their what which who whom whose when where why how",
    "please kindly hi hello hey thanks thank there tell give explain show just me about",
  ]
    .join(" ")
    .split(" "),
);

/** The same in Chinese, longest first. */
const idleInChinese =
  /请问|你好|您好|谢谢|麻烦|什么|怎么|怎样|如何|一下|可以|能否|哪些|多少|[请的了吗呢吧啊呀是在有把被和]/gu;

/** The words of a text that remain without the idle ones, in small letters and in their order. */
function contentWords(text: string): string[] {
  const words = text.normalize("NFKC").toLowerCase().replace(idleInChinese, " ");
  const found = words.match(/\p{Script=Han}|[\p{Script=Latin}\p{N}]+/gu) ?? [];
  return found.filter((word) => !idleWords.has(word));
}
