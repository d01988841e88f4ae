/** The hashes of keys, as an operator looks after them. */
import type { KeyRecord } from "./account.ts";

/** What an operator does with the hashes of all keys. */
export interface KeyHashes {
  /**
   * Every hash, with the record of its key, or with the time at which the key left it (Unix milliseconds). It reads all
   * keys.
   */
  all(): AsyncIterable<{ hash: string; key?: KeyRecord; left_at?: number }>;
  /** Removes hashes that keys have left, at most 25 at a time. Throws if a key is at one of them. */
  forget(hashes: string[]): Promise<void>;
}
