/**
 * Edits of values deep inside valid JSON, from bytes to bytes. What is not edited keeps its bytes; white space beside a
 * member that is taken out goes too. patch.ts writes a change of a whole object.
 */
import { itemsOf, membersOf } from "./body.ts";
import { entryOf } from "./fields.ts";

/** Returns the same bytes, others, or undefined, which takes the value out. */
export type Edit = (value: Buffer) => Buffer | undefined;

/** A place in an object or array that an edit may change, or take out. */
interface EditPlace {
  /** Where it begins, with its key if it has one. */
  start: number;
  value_start: number;
  end: number;
  edit: Edit | undefined;
}

/** Edits members of an object by their keys; a key given twice is edited twice. Anything but an object stays. */
export function editMembers(object: Buffer, edits: Readonly<Record<string, Edit>>): Buffer {
  if (object[0] !== 0x7b) return object;
  const places = membersOf(object).map(({ key, key_start, value_start, value_end }) => ({
    start: key_start,
    value_start,
    end: value_end,
    edit: entryOf(edits, key),
  }));
  return rebuild(object, places);
}

/** Edits every item of an array; `edit` gets its index too. Anything but an array stays. */
export function editItems(array: Buffer, edit: (item: Buffer, index: number) => Buffer | undefined): Buffer {
  if (array[0] !== 0x5b) return array;
  const places = itemsOf(array).map(({ start, end }, index) => ({
    start,
    value_start: start,
    end,
    edit: (item: Buffer) => edit(item, index),
  }));
  return rebuild(array, places);
}

/**
 * Edits the items of the array in a member of an object. Undefined where the edits leave none: who refuses an empty array
 * there is not sent the object.
 */
export function editList(
  object: Buffer,
  name: string,
  edit: (item: Buffer, index: number) => Buffer | undefined,
): Buffer | undefined {
  let isEmptied = false;
  const edited = editMembers(object, {
    [name](list) {
      const left = editItems(list, edit);
      isEmptied = left !== list && isEmptyArray(left);
      return left;
    },
  });
  return isEmptied ? undefined : edited;
}

/** Whether these bytes are an array without items. */
export function isEmptyArray(value: Buffer): boolean {
  return value[0] === 0x5b && itemsOf(value).length === 0;
}

function rebuild(bytes: Buffer, places: EditPlace[]): Buffer {
  const edited = places.map((place) => {
    const before = bytes.subarray(place.value_start, place.end);
    return { ...place, before, after: place.edit ? place.edit(before) : before };
  });
  if (edited.every(({ before, after }) => before === after)) return bytes;
  const kept = edited.flatMap(({ after, ...place }) => (after === undefined ? [] : [{ ...place, after }]));
  const isWhole = kept.length === edited.length;
  const pieces: Buffer[] = [];
  let from = 0;
  for (const [index, { start, value_start, end, after }] of kept.entries()) {
    // Where nothing was taken out, the bytes between the places stay as they are.
    const before = isWhole ? bytes.subarray(from, start) : index === 0 ? bytes.subarray(0, 1) : comma;
    pieces.push(before, bytes.subarray(start, value_start), after);
    from = end;
  }
  if (kept.length === 0) pieces.push(bytes.subarray(0, 1));
  return Buffer.concat([...pieces, isWhole ? bytes.subarray(from) : bytes.subarray(-1)]);
}

const comma = Buffer.from(",");

/** An edit that puts this value in place of another. */
export function replaceBy(value: unknown): Edit {
  return () => Buffer.from(JSON.stringify(value));
}

/** An edit that takes the value out. */
export const takeOut: Edit = () => undefined;
