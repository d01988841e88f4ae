/** What is kept of an answer: compressed, then encrypted under the key of its scope. */

import { decrypt, encrypt } from "../../base/platform/encryption.ts";
import type { Usage } from "../../books/billing/usage.ts";
import type { Verified } from "../../books/ledger/usage-event.ts";
import type { ChatReply } from "../chat/reply.ts";
import type { CacheEntry } from "./entries.ts";
import type { KeyedPlace } from "./keys.ts";
import type { CacheControl } from "./wishes.ts";

/** A question with its answer, and the usage that the ledger has for it. */
export interface KeptAnswer {
  question: string;
  reply: StoredReply;
  usage: Usage;
  /** What its header said was dropped. */
  dropped?: string;
}

/** A question that another entry answers, as its head says too. It has no answer itself, and ends with that entry. */
export interface KeptAlias {
  question: string;
  alias: {
    /** The name of that entry, in the same scope. */
    entry: string;
    /** What said that one answer serves both questions. */
    verified: Verified;
  };
}

/** An answer without what each call has for itself. */
export type StoredReply = Pick<ChatReply, "parts" | "stop_reason" | "stop_sequence">;

/** Loaded with the first answer that is kept or read. */
const zlib = () => process.getBuiltinModule("node:zlib");

const quality = 4;

/** An entry. Its place and head are part of the encryption: it opens nowhere else, and no part of it can be changed. */
export function sealEntry(
  place: KeyedPlace,
  head: Omit<CacheEntry, "box">,
  answer: KeptAnswer | KeptAlias,
): CacheEntry {
  const { brotliCompressSync, constants } = zlib();
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  const plain = brotliCompressSync(JSON.stringify(answer), { params });
  return { ...head, box: encrypt(place.key, contextOf(place, head), plain) };
}

/** The answer of an entry, or what it is an alias of. Throws where it was not sealed for this place. */
export function openEntry(place: KeyedPlace, entry: CacheEntry): KeptAnswer | KeptAlias {
  const plain = zlib().brotliDecompressSync(decrypt(place.key, contextOf(place, entry), entry.box));
  return JSON.parse(plain.toString("utf8")) as KeptAnswer | KeptAlias;
}

/** Whether a call takes an entry: it is not over, and not older than its client wants. `now` is Unix milliseconds. */
export function isTaken(
  { at, until }: Pick<CacheEntry, "at" | "until">,
  { max_age = Number.POSITIVE_INFINITY }: Pick<CacheControl, "max_age">,
  now: number,
): boolean {
  return until > now && now - at <= max_age * 1000;
}

function contextOf({ scope, name }: KeyedPlace, { origin, at, until }: Omit<CacheEntry, "box">): string {
  return JSON.stringify([scope, name, origin, at, until]);
}
