/** The store of cached answers, as the gateway needs it. */

/** Where an entry is kept. Both parts are keyed hashes. */
export interface EntryPlace {
  /** Whose it is (`keys.ts`). */
  scope: string;
  /** What was asked, in this scope. */
  name: string;
}

/** An answer that is kept. Instants are Unix milliseconds. */
export interface CacheEntry {
  /** The call that got the answer from a provider. */
  origin: string;
  at: number;
  /** From then on it counts as none. */
  until: number;
  /** Question, answer and usage, encrypted (`entry.ts`). */
  box: Buffer;
}

/** Every method may fail: then a call asks its provider, and nothing else changes. */
export interface CacheEntries {
  /** The entry at a place, which may be a second old, or over. Undefined where there is none. */
  read(place: EntryPlace): Promise<CacheEntry | undefined>;
  /** Puts an entry in the place of any other. */
  put(place: EntryPlace, entry: CacheEntry): Promise<void>;
  /** Removes the entry that came from this call. Gives false where there is none, or another. */
  remove(place: EntryPlace, origin: string): Promise<boolean>;
}
