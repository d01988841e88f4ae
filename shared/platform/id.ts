/**
 * Prefixed, time-ordered identifiers. What follows the prefix is a ULID: the first ten characters are the creation time
 * in milliseconds, the other sixteen are random. So a ledger key sorts by time and tells when its call was admitted. The
 * tests compare it with the package `ulid`.
 */

/** Crockford's base 32. Its characters sort as their values do. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeLength = 10;
const timeEnd = 2 ** 48;
const form = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const prefixes = {
  request: "req_",
  key: "key_",
  organization: "org_",
  meter: "mtr_",
  task: "VTK-",
} as const;

type IdKind = keyof typeof prefixes;

/** A new identifier of the given kind. `at` is Unix milliseconds. */
export function newId(kind: IdKind, at: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let text = prefixes[kind] + encodeTime(at);
  // As `ulid` does it: the first byte gives the last character.
  for (let i = 15; i >= 0; i--) text += digits.charAt((bytes[i] ?? 0) >> 3);
  return text;
}

/** A time in Unix milliseconds as an identifier has it. Throws `RangeError` beyond 48 bits. */
export function encodeTime(at: number): string {
  if (!Number.isInteger(at) || at < 0 || at >= timeEnd) throw new RangeError(`not a time of an id: ${at}`);
  let text = "";
  for (let rest = at; text.length < timeLength; rest = Math.floor(rest / 32))
    text = digits.charAt(rest % 32) + text;
  return text;
}

/** Unix milliseconds at which the identifier was made. Throws `RangeError` on a string that is not one of ours. */
export function timeOf(id: string): number {
  const text = bareId(id);
  if (!form.test(text)) throw new RangeError(`not an id: ${id}`);
  let at = 0;
  for (let i = 0; i < timeLength; i++) at = at * 32 + digits.indexOf(text.charAt(i));
  return at;
}

/** Whether the text is an identifier of one of these kinds, as `newId` makes them. */
export function isId(text: string, ...kinds: IdKind[]): boolean {
  const kind = kinds.find((each) => text.startsWith(prefixes[each]));
  return kind !== undefined && form.test(text.slice(prefixes[kind].length));
}

/** Whether an identifier is a video task's. */
export function isTask(id: string): boolean {
  return id.startsWith(prefixes.task);
}

/** The id of the task that a request makes. Both share the time-ordered part, so the ledger finds one by the other. */
export function taskOf(request: string): string {
  return prefixes.task + bareId(request);
}

/** The time-ordered part without its prefix: 26 characters. */
export function bareId(id: string): string {
  return id.slice(-26);
}
