/**
 * The names of what a request loses on its way, as `x-gateway-dropped` tells them: the path of a member in its protocol's
 * own words, without the indexes of arrays, as `messages.content.citations`. Every room collects them in one set, in the
 * order in which they are lost.
 */
import { entryOf, type Fields, isAbsent, isObject } from "../json/fields.ts";

/** The members of an object that are carried, each whole or without some of its own members. */
export interface Members {
  readonly [name: string]: true | Members;
}

/** Members that are carried whole. */
export function members(...names: string[]): Members {
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** A member's name, where its object stands at `at`; "" is the body itself. */
export function nameAt(at: string, name: string): string {
  return at === "" ? name : `${at.replace(/\[\d+\]/g, "")}.${name}`;
}

/**
 * Names every member given that is not `carried`, at any depth that `carried` tells of. `value` is an object or an array
 * of them; of anything else nothing is named.
 */
export function nameUncarried(value: unknown, carried: Members, at: string, dropped: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) nameUncarried(item, carried, at, dropped);
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (isAbsent(member)) continue;
    const kept = entryOf(carried, name);
    if (kept === undefined) dropped.add(nameAt(at, name));
    else if (kept !== true) nameUncarried(member, kept, nameAt(at, name), dropped);
  }
}

/** Names those of these members that are given: the others of their object are carried, or nobody knows them. */
export function nameGiven(fields: Fields, names: readonly string[], at: string, dropped: Set<string>): void {
  for (const name of names) if (!isAbsent(fields[name])) dropped.add(nameAt(at, name));
}
