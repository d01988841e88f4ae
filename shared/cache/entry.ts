/** What is kept of an answer: compressed, then encrypted under the key of its scope. */
import type { Usage } from "../billing/usage.ts";
import type { ChatReply } from "../chat/reply.ts";
import { decrypt, encrypt } from "../platform/encryption.ts";
import type { CacheEntry } from "./entries.ts";
import type { KeyedPlace } from "./keys.ts";

/** A question with its answer, and the usage that the ledger has for it. */
export interface KeptAnswer {
  question: string;
  reply: StoredReply;
  usage: Usage;
  /** What its header said was dropped. */
  dropped?: string;
}

/** An answer without what each call has for itself. */
export type StoredReply = Pick<ChatReply, "parts" | "stop_reason" | "stop_sequence">;

/** Loaded with the first answer that is kept or read. */
const zlib = () => process.getBuiltinModule("node:zlib");

const quality = 4;

/**
 * An entry. Its place and its head are part of the encryption, so that it opens nowhere else and no part of it can be
 * changed. Compression is synchronous, as for replayed answers (access/recorder.ts).
 */
export function sealEntry(place: KeyedPlace, head: Omit<CacheEntry, "box">, answer: KeptAnswer): CacheEntry {
  const { brotliCompressSync, constants } = zlib();
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  const plain = brotliCompressSync(JSON.stringify(answer), { params });
  return { ...head, box: encrypt(place.key, contextOf(place, head), plain) };
}

/** The answer of an entry. Throws where it was not sealed for this place. */
export function openEntry(place: KeyedPlace, entry: CacheEntry): KeptAnswer {
  const plain = zlib().brotliDecompressSync(decrypt(place.key, contextOf(place, entry), entry.box));
  return JSON.parse(plain.toString("utf8")) as KeptAnswer;
}

function contextOf({ scope, name }: KeyedPlace, { origin, at, until }: Omit<CacheEntry, "box">): string {
  return JSON.stringify([scope, name, origin, at, until]);
}
