/** Rules that refuse to answer one question with the answer to another (shared/cache/semantic/README.md "Rules"). */

/** What a rule found. */
export type RuleName =
  | "size"
  | "script"
  | "quotes"
  | "code"
  | "numbers"
  | "polarity"
  | "connectives"
  | "names"
  | "one_slot"
  | "words"
  | "order";

/** Why the answer to `kept` does not serve `asked`, or undefined where no rule refuses. */
export function refusalOf(asked: string, kept: string): RuleName | undefined {
  const [one, other] = [wordsOf(asked), wordsOf(kept)];
  if (one.join(" ") === other.join(" ")) return undefined;
  return one.toSorted().join(" ") === other.toSorted().join(" ") ? "order" : "words";
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? []
  );
}
