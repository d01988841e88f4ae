/** Writes the difference of two values into a body's bytes. Items of arrays are not taken out: edit.ts does that. */

import {
  type ByteRange,
  itemsOf,
  type JsonBody,
  type JsonMember,
  membersOf,
  type Splice,
  splice,
} from "./body.ts";
import { isObject } from "./fields.ts";

/** The body with the value `after`, which shares every unchanged part with the body's own value. */
export function patchBody(body: JsonBody, after: Record<string, unknown>): JsonBody {
  if (after === body.value) return body;
  const whole = { start: 0, end: body.bytes.length };
  const bytes = splice(body.bytes, patchObject(body.bytes, whole, body.value, after));
  return {
    bytes,
    value: after,
    outline: after,
    members: membersOf(bytes),
    skeleton: () => bytes.toString("latin1"),
  };
}

function patchValue(bytes: Buffer, at: ByteRange, before: unknown, after: unknown): Splice[] {
  if (before === after) return [];
  if (isObject(before) && isObject(after)) return patchObject(bytes, at, before, after);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return itemsOf(bytes.subarray(at.start, at.end)).flatMap(({ start, end }, index) =>
      patchValue(bytes, { start: at.start + start, end: at.start + end }, before[index], after[index]),
    );
  }
  return [{ ...at, text: JSON.stringify(after) }];
}

/** Cuts members that are gone, with their commas, and adds new ones behind the last that is kept. */
function patchObject(
  bytes: Buffer,
  at: ByteRange,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Splice[] {
  const members = membersOf(bytes.subarray(at.start, at.end)).map((member) => shifted(member, at.start));
  // A body may have hundreds of thousands of members, so no member is searched for among the others.
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { key } of members) (seen.has(key) ? repeated : seen).add(key);
  const last = members.findLastIndex(({ key }) => Object.hasOwn(after, key));
  const added = Object.keys(after).filter((key) => !seen.has(key));
  const text = added.map((key) => `${JSON.stringify(key)}:${JSON.stringify(after[key])}`).join(",");
  const splices = members.slice(0, last + 1).flatMap((member, index): Splice[] => {
    const { key, key_start, value_start, value_end } = member;
    const next = members[index + 1];
    if (!Object.hasOwn(after, key))
      return [{ start: key_start, end: next?.key_start ?? value_end, text: "" }];
    // Readers differ in which of two they take, so a changed member that is given twice is changed in both places.
    const former = repeated.has(key) && before[key] !== after[key] ? undefined : before[key];
    return patchValue(bytes, { start: value_start, end: value_end }, former, after[key]);
  });
  const from = members[last]?.value_end ?? members[0]?.key_start ?? at.end - 1;
  const end = last === members.length - 1 ? from : (members.at(-1)?.value_end ?? from);
  const comma = last >= 0 && text !== "" ? "," : "";
  return from === end && text === "" ? splices : [...splices, { start: from, end, text: comma + text }];
}

function shifted({ key, key_start, value_start, value_end }: JsonMember, by: number): JsonMember {
  return { key, key_start: key_start + by, value_start: value_start + by, value_end: value_end + by };
}
