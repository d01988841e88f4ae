/** The mark of an id that a client gets: a keyed tag of whom it was given to (calls/protocols/provider-ids.md). */
import { type KeyObject, timingSafeEqual } from "node:crypto";
import { limits } from "../../base/limits.ts";
import { deriveKey, hmacUnder, keyObject } from "../../base/platform/encryption.ts";
import type { Pepper, Peppers } from "../../base/platform/pepper.ts";
import type { IdPlaces } from "../protocols/provider-ids.ts";
import { accountChars } from "./account.ts";
import type { MarkerFor } from "./call.ts";
import { type Relay, StreamFailed } from "./relay.ts";

/** To whom ids are given. */
export interface Owner {
  organization: string;
  project: string;
}

/** An id without its mark, and the account that knows it. */
export interface Unmarked {
  id: string;
  account: string;
}

/** A mark: `_gw`, the pepper's version, account and tag, in characters of ids. All marks have the same length. */
const sign = "_gw";
const versions = 36;
/** 96 bits: nobody finds one by asking. */
const tagChars = 16;
const markChars = sign.length + 1 + accountChars + tagChars;

/** The id as this owner's. */
export function marked(id: string, account: string, owner: Owner, { current }: Peppers): string {
  return `${id}${sign}${versionOf(current)}${account}${tagOf({ id, account }, owner, current)}`;
}

/** An id without its mark. Undefined where the mark is not this owner's, or was made under no version that is known. */
export function unmarked(text: string, owner: Owner, peppers: Peppers): Unmarked | undefined {
  const mark = markIn(text);
  const pepper =
    mark && [peppers.current, peppers.previous].find((each) => each && versionOf(each) === mark.version);
  if (!pepper) return undefined;
  const { id, account, tag } = mark;
  const right = Buffer.from(tagOf({ id, account }, owner, pepper));
  const given = Buffer.from(tag);
  return given.length === right.length && timingSafeEqual(given, right) ? { id, account } : undefined;
}

/** Whether a text is marked under a version that these peppers lack. Another process may have a newer one. */
export function isNewer(text: string, { current, previous }: Peppers): boolean {
  const mark = markIn(text);
  return mark !== undefined && ![current, previous].some((each) => each && versionOf(each) === mark.version);
}

/** Whether a text ends as a mark does. */
export function isMarked(text: string): boolean {
  return markIn(text) !== undefined;
}

function markIn(text: string): (Unmarked & { version: string; tag: string }) | undefined {
  const at = text.length - markChars;
  if (at < 1 || text.length > limits.providerIdCharsMax + markChars || !text.startsWith(sign, at))
    return undefined;
  const account = at + sign.length + 1;
  return {
    id: text.slice(0, at),
    version: text.charAt(account - 1),
    account: text.slice(account, account + accountChars),
    tag: text.slice(account + accountChars),
  };
}

function versionOf({ version }: Pepper): string {
  return (version % versions).toString(versions);
}

function tagOf({ id, account }: Unmarked, { organization, project }: Owner, { value }: Pepper): string {
  // As JSON, no part can run into the next one.
  const text = JSON.stringify([organization, project, account, id]);
  return hmacUnder(keyUnder(value)).update(text).digest("base64url").slice(0, tagChars);
}

/** The keys that were derived from peppers. A process has two of those at most. */
const known = new Map<string, KeyObject>();

function keyUnder(pepper: string): KeyObject {
  const kept = known.get(pepper);
  if (kept) return kept;
  if (known.size >= 2) known.clear();
  const key = keyObject(deriveKey(pepper, "provider ids"));
  known.set(pepper, key);
  return key;
}

/** Markers for a call's answers. Quotes in a JSON text are escaped, so no text of a model looks like a member. */
export function markersOf(
  { names, begins = "" }: NonNullable<IdPlaces["answers"]>,
  owner: Owner,
  peppers: Peppers,
): MarkerFor {
  const members = new Set(names);
  const isId = new RegExp(`^${begins}[\\w.:/+=-]{1,${limits.providerIdCharsMax}}$`);
  return (account) => {
    /** The mark of each id that the answer has named, or undefined for what is no id. */
    const marks = new Map<string, Buffer | undefined>();
    const markOf = (id: string): Buffer | undefined => {
      if (marks.has(id)) return marks.get(id);
      const mark = isId.test(id)
        ? Buffer.from(marked(id, account, owner, peppers).slice(id.length))
        : undefined;
      marks.set(id, mark);
      return mark;
    };
    const mark = (bytes: Buffer): Buffer => {
      const pieces: Buffer[] = [];
      let from = 0;
      for (const { id, end } of valuesOf(bytes.toString("latin1"), members)) {
        const mark = markOf(id);
        if (!mark) continue;
        pieces.push(bytes.subarray(from, end), mark);
        from = end;
      }
      return from === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
    };
    return { bytes: mark, relay: (relay) => marking(relay, mark) };
  };
}

/** How the name of each member ends that holds ids. These bytes are rare in an answer. */
const tail = 'id"';
const words = '"metadata"';

/** Values of these members in a text of JSON, with their ends, a character a byte; none of the client's metadata. */
function valuesOf(text: string, members: ReadonlySet<string>): { id: string; end: number }[] {
  const values: { id: string; end: number }[] = [];
  let [seen, wordsEnd] = [0, 0];
  for (let at = text.indexOf(tail); at !== -1; at = text.indexOf(tail, at + 1)) {
    if (!members.has(text.slice(text.lastIndexOf('"', at) + 1, at + 2))) continue;
    // Each character is looked through once, however many members there are.
    const begin = text.slice(seen, at).lastIndexOf(words);
    if (begin !== -1) wordsEnd = text.indexOf("}", seen + begin);
    seen = at;
    const start = valueStart(text, at + tail.length);
    const end = start === 0 || at < wordsEnd ? -1 : text.indexOf('"', start);
    if (end !== -1) values.push({ id: text.slice(start, end), end });
  }
  return values;
}

const [space, colon, quote] = [0x20, 0x3a, 0x22];

/** Where the text begins that is the value of the member whose name ends here. 0 where it is no text. */
function valueStart(text: string, nameEnd: number): number {
  let at = nameEnd;
  while (text.charCodeAt(at) <= space) at++;
  if (text.charCodeAt(at) !== colon) return 0;
  at++;
  while (text.charCodeAt(at) <= space) at++;
  return text.charCodeAt(at) === quote ? at + 1 : 0;
}

function marking(relay: Relay, mark: (bytes: Buffer) => Buffer): Relay {
  const { stopper } = relay;
  return {
    ...relay,
    push(chunk) {
      try {
        return mark(relay.push(chunk));
      } catch (error) {
        if (error instanceof StreamFailed) error.before = mark(error.before);
        throw error;
      }
    },
    held: () => relay.held().map(mark),
    stopper: stopper && { ...stopper, end: (reason) => stopper.end(reason).map(mark) },
  };
}
