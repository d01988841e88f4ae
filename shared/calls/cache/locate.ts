/** Finds the last text of the user in the bytes of a body, so that all other bytes can be compared as they are. */
import { type ByteRange, itemsOf, type JsonBody, membersOf } from "../../base/json/body.ts";
import type { RequestFamily } from "./families.ts";

/** Where the question of a body stands whose turns are text, with its quotes. Undefined where there is none. */
export function locate(body: JsonBody, family: RequestFamily): ByteRange | undefined {
  const { bytes } = body;
  const turns = body.members.findLast(({ key }) => key === family.turns);
  if (!turns) return undefined;
  const whole = { start: turns.value_start, end: turns.value_end };
  if (isString(bytes, whole)) return whole;
  const items = itemsIn(bytes, whole);
  const content = items.length > 0 ? memberIn(bytes, items.at(-1) as ByteRange, family.content) : undefined;
  if (!content) return undefined;
  if (isString(bytes, content)) return content;
  const part = itemsIn(bytes, content).at(-1);
  const text = part && memberIn(bytes, part, "text");
  return text && isString(bytes, text) ? text : undefined;
}

function isString(bytes: Buffer, { start }: ByteRange): boolean {
  return bytes[start] === 0x22;
}

function itemsIn(bytes: Buffer, { start, end }: ByteRange): ByteRange[] {
  return itemsOf(bytes.subarray(start, end)).map((item) => shifted(item, start));
}

/** Where a key is given twice, readers take the last. The bytes of the first are compared with all others. */
function memberIn(bytes: Buffer, { start, end }: ByteRange, name: string): ByteRange | undefined {
  const member = membersOf(bytes.subarray(start, end)).findLast(({ key }) => key === name);
  return member && shifted({ start: member.value_start, end: member.value_end }, start);
}

function shifted({ start, end }: ByteRange, by: number): ByteRange {
  return { start: start + by, end: end + by };
}
