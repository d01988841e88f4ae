/** The store of calls that carry an `Idempotency-Key`: who has a key, and the answer that is given again. */

/** What a key has come to. */
export interface ReplayRecord {
  /** The call that has the key; its time is when the key's day began. */
  request: string;
  /** A keyed hash of what was asked. */
  fingerprint: string;
  /**
   * `running` until the end of the call is known; then `stored` with its answer, `ended` where the answer was
   * not kept, or `released` for the next call because it failed.
   */
  state: "running" | "stored" | "ended" | "released";
  /** The encrypted answer of a `stored` call, where it is short; a longer one is kept beside the record. */
  answer?: Buffer;
}

export interface Replays {
  /**
   * Takes a key for a call, in one conditional write: undefined once the call has it, else the record that
   * does. Repeating it is harmless. A record that is released or older than `limits.idempotencySeconds` at
   * `now` (Unix milliseconds) counts as none; `instead` names a call whose record may be replaced as well.
   */
  claim(
    scope: string,
    record: ReplayRecord,
    now: number,
    instead?: string,
  ): Promise<ReplayRecord | undefined>;
  /** Says what became of the call that has the key; nothing if another has it by now. */
  conclude(scope: string, record: ReplayRecord): Promise<void>;
  /** The call that a key was last claimed for, if any, whatever has become of it. */
  holder(scope: string): Promise<string | undefined>;
  /** Keeps the encrypted answer of a call for as long as its key. */
  keep(request: string, answer: Buffer): Promise<void>;
  answer(request: string): Promise<Buffer | undefined>;
}
