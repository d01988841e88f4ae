/** The body of a reply from its arrival until it is read. */

/** A body that its reader pulls. While nobody asks, its sender is stopped beyond a bound. */
export interface ReplyBody {
  /** All that has arrived since the last call; undefined at the end. Rejects with `TransportError` after a break. */
  next(): Promise<Buffer | undefined>;
  /** As `next`, but at once: no bytes where nothing has arrived. Throws where `next` rejects. */
  take(): Buffer | undefined;
  /** Calls `listener` after each event that brought something. It must not throw. `take` then costs less than `next`. */
  listen(listener: () => void): void;
  /** Closes the connection, and drops what was not read. After the end it does nothing. */
  destroy(error?: Error): void;
}

/** The sender's side of a body. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Closes the connection. */
  destroy(error: Error): void;
}

/** How many bytes may wait for the reader before the sender is stopped. The read that goes beyond them is kept too. */
const waitingBytesMax = 64 * 1024;

const nothing = Buffer.alloc(0);
const none: Buffer[] = [];

/** What waits for this runs after the event that runs now. */
const afterThisEvent = Promise.resolve();

/** A body that is fed as bytes arrive: `push` for each piece, then `end` or `fail`. */
export class ArrivingBody implements ReplyBody {
  readonly #source: BodySource;
  #pieces: Buffer[] = none;
  #bytes = 0;
  #ended = false;
  #failure: Error | undefined;
  #paused = false;
  #change: PromiseWithResolvers<void> | undefined;
  #listener: (() => void) | undefined;
  /** Whether the listener will be called after this event. */
  #isCalled = false;

  constructor(source: BodySource) {
    this.#source = source;
  }

  push(piece: Buffer): void {
    if (this.#ended || this.#failure) return;
    // Most reads are one piece. An array that grows takes room for many.
    if (this.#bytes === 0) this.#pieces = [piece];
    else this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > waitingBytesMax && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    this.#tell();
  }

  end(): void {
    if (!this.#failure) this.#ended = true;
    this.#tell();
  }

  /** Ends the body with a failure: a `TransportError`. A body that is over stays whole. */
  fail(failure: Error): void {
    if (!this.#ended) this.#failure ??= failure;
    this.#tell();
  }

  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const taken = this.take();
      if (taken === undefined || taken.length > 0) return taken;
      // Readers wake after the event in which bytes arrived, so that all of its pieces are read as one.
      this.#change ??= Promise.withResolvers();
      await this.#change.promise;
    }
  }

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  destroy(error: Error = new Error("no longer read")): void {
    this.#pieces = none;
    this.#bytes = 0;
    if (this.#ended || this.#failure) return;
    this.#source.destroy(error);
  }

  take(): Buffer | undefined {
    if (this.#bytes === 0) {
      if (this.#failure) throw this.#failure;
      return this.#ended ? undefined : nothing;
    }
    const pieces = this.#pieces;
    const [only] = pieces;
    const taken = pieces.length === 1 && only ? only : Buffer.concat(pieces, this.#bytes);
    this.#pieces = none;
    this.#bytes = 0;
    if (this.#paused) {
      this.#paused = false;
      this.#source.resume();
    }
    return taken;
  }

  #tell(): void {
    this.#change?.resolve();
    this.#change = undefined;
    if (!this.#listener || this.#isCalled) return;
    this.#isCalled = true;
    void afterThisEvent.then(this.#call);
  }

  readonly #call = (): void => {
    this.#isCalled = false;
    this.#listener?.();
  };
}
