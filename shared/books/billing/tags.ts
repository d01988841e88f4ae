/**
 * Tags: pairs of a name and a value by which an organization sorts its calls (shared/calls/gateway/headers.md "Tags").
 * Their one form is the text of the header, sorted by name: `feature=rag,team=search`. Records of a call keep this text.
 * A call without tags has none of it.
 */

import { limits } from "../../base/limits.ts";

const { tagsMax, tagNameCharsMax, tagValueCharsMax } = limits;

/** A name. It is lower-case, so that no report has one group for `Team` and another one for `team`. */
export const tagNamePattern = `[a-z][a-z0-9_.-]{0,${tagNameCharsMax - 1}}`;

/** A name and its value. */
export const tagPairPattern = `${tagNamePattern}=[A-Za-z0-9_.:/@+-]{1,${tagValueCharsMax}}`;
const nameForm = new RegExp(`^${tagNamePattern}$`);
const pairForm = new RegExp(`^[ \\t]*(${tagPairPattern})[ \\t]*$`);

/** An export names the user of a call beside its tags (books/reports/focus.md), so no tag may be called so. */
const takenName = "user";

/** The form of a header's text, for its schema. That a name stands once and is not `user`, a pattern does not say. */
export const tagsPattern = `^[ \\t]*${tagPairPattern}[ \\t]*(?:,[ \\t]*${tagPairPattern}[ \\t]*){0,${tagsMax - 1}}$`;

/** The rule in words, as it follows "must be". */
export const tagsRule = `1 to ${tagsMax} pairs \`name=value\` separated by commas: a name of at most ${tagNameCharsMax} lower-case letters, digits and \`_.-\` that begins with a letter, each once and none \`${takenName}\`; a value of at most ${tagValueCharsMax} letters, digits and \`_.:/@+-\``;

/** The tags of a text by name; undefined where it breaks the rule. */
function readPairs(text: string): Map<string, string> | undefined {
  const parts = text.split(",", tagsMax + 1);
  const tags = new Map(pairsOf(parts.flatMap((part) => pairForm.exec(part)?.[1] ?? [])));
  const isWhole = parts.length <= tagsMax && tags.size === parts.length;
  return isWhole && !tags.has(takenName) ? tags : undefined;
}

function pairsOf(pairs: readonly string[]): [name: string, value: string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

function textOf(tags: Map<string, string>): string {
  return [...tags.keys()]
    .sort()
    .map((name) => `${name}=${tags.get(name)}`)
    .join(",");
}

/** The one form of tags that somebody wrote; undefined where they break the rule. */
export function readTags(text: string): string | undefined {
  const tags = readPairs(text);
  return tags && textOf(tags);
}

/** Whether a value is tags in their one form. */
export function isTags(value: unknown): value is string {
  return typeof value === "string" && readTags(value) === value;
}

/** Tags with others of which only those count whose name they do not have; undefined where both are too many. */
export function withOtherTags(tags: string, others: string): string | undefined {
  const all = new Map(pairsOf([...others.split(","), ...tags.split(",")]));
  return all.size > tagsMax ? undefined : textOf(all);
}

/** Tags as an object, in the order of their names. */
export function tagsObject(tags: string): Record<string, string> {
  return Object.fromEntries(pairsOf(tags.split(",")));
}

/** Whether a text is the name that a tag may have. */
export function isTagName(text: string): boolean {
  return nameForm.test(text) && text !== takenName;
}

/** Whether a text is one pair. */
export function isTagPair(text: string): boolean {
  return isTags(text) && !text.includes(",");
}

/** The value of a name among tags; null where they do not have it. */
export function tagValue(tags: string | undefined, name: string): string | null {
  const start = `${name}=`;
  return (
    tags
      ?.split(",")
      .find((pair) => pair.startsWith(start))
      ?.slice(start.length) ?? null
  );
}

/** Whether tags have a pair. */
export function hasTag(tags: string | undefined, pair: string): boolean {
  return tags?.split(",").includes(pair) ?? false;
}
