/** The store of calls with an `Idempotency-Key`: which call has a key, and the answer that repetitions are given. */

/** What has become of a key. */
export interface ReplayRecord {
  /** The call that has the key. The key's day begins when that call was received. */
  request: string;
  /** A keyed hash of the request. */
  fingerprint: string;
  /**
   * `running` until the end of the call is known. Then `stored` with its answer, `ended` where the answer was not kept,
   * or `released` for the next call, because it failed.
   */
  state: "running" | "stored" | "ended" | "released";
  /** The encrypted answer of a `stored` call, if it is short. A longer one is kept beside the record. */
  answer?: Buffer;
}

export interface Replays {
  /**
   * Claims a key for a call, in one conditional write. Gives undefined if the call has the key, else the record of the
   * call that has it. Repeating it is harmless. A record counts as none if it is released, or older than
   * `limits.idempotencySeconds` at `now` (Unix milliseconds). `instead` names a call whose record may be replaced too.
   */
  claim(
    scope: string,
    record: ReplayRecord,
    now: number,
    instead?: string,
  ): Promise<ReplayRecord | undefined>;
  /** Records what became of the call that has the key. Does nothing if another call has it by now. */
  conclude(scope: string, record: ReplayRecord): Promise<void>;
  /** The call that last claimed a key, whatever has become of it; undefined if none has. */
  holder(scope: string): Promise<string | undefined>;
  /** Keeps the encrypted answer of a call for as long as its key. */
  keep(request: string, answer: Buffer): Promise<void>;
  answer(request: string): Promise<Buffer | undefined>;
}
