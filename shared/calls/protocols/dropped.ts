/** Names of what a request loses (`x-gateway-dropped`): paths without indexes, such as `messages.content.citations`. */
import { entryOf, type Fields, isAbsent, isObject } from "../../base/json/fields.ts";

/** The members of an object that are carried: whole, or with these of their own members. */
export interface CarriedMembers {
  readonly [name: string]: true | CarriedMembers;
}

/** Members that are carried whole. */
export function members(...names: string[]): CarriedMembers {
  return Object.fromEntries(names.map((name) => [name, true]));
}

/** A member's name, where its object stands at `at`; "" is the body itself. */
export function nameAt(at: string, name: string): string {
  return placeOf(at.replace(/\[\d+\]/g, ""), name);
}

function placeOf(at: string, name: string): string {
  return at === "" ? name : `${at}.${name}`;
}

/** Names each member of an object, or of an array of them, that is not `carried`, as deep as `carried` goes. */
export function nameUncarried(
  value: unknown,
  carried: CarriedMembers,
  at: string,
  dropped: Set<string>,
): void {
  if (Array.isArray(value)) for (const item of value) nameUncarried(item, carried, at, dropped);
  if (!isObject(value)) return;
  for (const name in value) {
    const member = value[name];
    if (isAbsent(member)) continue;
    const kept = entryOf(carried, name);
    if (kept === undefined) dropped.add(nameAt(at, name));
    else if (kept !== true && typeof member === "object") {
      nameUncarried(member, kept, placeOf(at, name), dropped);
    }
  }
}

/** Names each of these members that is given. The other members of the object are not looked at. */
export function nameGiven(fields: Fields, names: readonly string[], at: string, dropped: Set<string>): void {
  for (const name of names) if (!isAbsent(fields[name])) dropped.add(nameAt(at, name));
}
