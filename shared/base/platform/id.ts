/** Prefixed ids that sort by time: the first ten characters behind the prefix are the creation in milliseconds. */
import { hash } from "node:crypto";
import { decodeTime, encodeTime } from "ulid";

const prefixes = {
  request: "req_",
  key: "key_",
  organization: "org_",
  meter: "mtr_",
  task: "VTK-",
  user: "usr_",
  session: "ses_",
  device: "dev_",
  invitation: "inv_",
  audit: "aud_",
  order: "ord_",
  refund: "rfd_",
  invoice: "ivc_",
  webhook: "whk_",
  group: "grp_",
  directory_token: "sct_",
  admin_token: "adt_",
  proposal: "prp_",
} as const;

type IdKind = keyof typeof prefixes;

/** Letters and digits only, so that a short name may stand in any attribute's name, key and header. */
const base = 36;

/** A name of so many characters for a text, at most nine: the same each time, and hardly ever that of another text. */
export function shortName(text: string, characters: number): string {
  return (hash48(text) % base ** characters).toString(base).padStart(characters, "0");
}

/** The first 48 bits of the SHA-256 of a text, as a number. Node gives digits in half the time of bytes. */
export function hash48(text: string): number {
  return Number.parseInt(hash("sha256", text).slice(0, 12), 16);
}

/** Crockford's alphabet, as ULIDs have it: what an id consists of behind its prefix. */
export const idDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A new identifier of the given kind. `at` is Unix milliseconds. */
export function newId(kind: IdKind, at: number): string {
  // Node has random bytes at hand for the next UUIDs. To ask the generator for the bytes of one id takes six times as long.
  const uuid = crypto.randomUUID();
  // All digits of its first and last group are random. Ten of them are eight of an id.
  const random = uuid.slice(24) + uuid.slice(0, 8);
  const digitsOf = (half: string) => encodeTime(Number.parseInt(half, 16), 8);
  return prefixes[kind] + encodeTime(at) + digitsOf(random.slice(10)) + digitsOf(random.slice(0, 10));
}

/** Unix milliseconds at which the identifier was made. Throws on a string that is not one of ours. */
export function timeOf(id: string): number {
  return decodeTime(id.slice(-26));
}

/** The text that sorts before all identifiers of a kind made at `at` (Unix ms) or later, and behind all earlier ones. */
export function firstIdAt(kind: IdKind, at: number): string {
  return prefixes[kind] + encodeTime(at);
}

/** Whether the text is an identifier of one of these kinds, as `newId` makes them. */
export function isId(text: string, ...kinds: IdKind[]): boolean {
  const kind = kinds.find((each) => text.startsWith(prefixes[each]));
  return kind !== undefined && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text.slice(prefixes[kind].length));
}

/** Whether an identifier is a video task's. */
export function isTask(id: string): boolean {
  return id.startsWith(prefixes.task);
}

/** The id of the task that a request makes. Both share the time-ordered part, so the ledger finds one by the other. */
export function taskOf(request: string): string {
  return prefixes.task + bareId(request);
}

/** The id of the request that made a task. */
export function requestOfTask(task: string): string {
  return prefixes.request + bareId(task);
}

/** The id of a meter that belongs to what has this id. Whoever makes it again makes the same. */
export function meterOf(owner: string): string {
  return prefixes.meter + bareId(owner);
}

/** The time-ordered part without its prefix: 26 characters. */
export function bareId(id: string): string {
  return id.slice(-26);
}
