/** The body of a reply from its arrival until it is read. */

/** A body that its reader pulls. While nobody asks, its sender is stopped beyond a bound. */
export interface ReplyBody {
  /**
   * All that has arrived since the last call, joined; undefined at the end. Rejects with `TransportError` when the body
   * breaks off, after what had arrived. Calls that overlap are answered in their order.
   */
  next(): Promise<Buffer | undefined>;
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

/** A body that is fed as bytes arrive: `push` for each piece, then `end` or `fail`. */
export class ArrivingBody implements ReplyBody {
  readonly #source: BodySource;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #failure: Error | undefined;
  #paused = false;
  #change: PromiseWithResolvers<void> | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  push(piece: Buffer): void {
    if (this.#ended || this.#failure) return;
    this.#pieces.push(piece);
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
    while (this.#bytes === 0) {
      if (this.#failure) throw this.#failure;
      if (this.#ended) return undefined;
      // Readers wake after the event in which bytes arrived, so that all of its pieces are read as one.
      this.#change ??= Promise.withResolvers();
      await this.#change.promise;
    }
    return this.#take();
  }

  destroy(error: Error = new Error("no longer read")): void {
    this.#pieces = [];
    this.#bytes = 0;
    if (this.#ended || this.#failure) return;
    this.#source.destroy(error);
  }

  #take(): Buffer {
    const pieces = this.#pieces;
    const [only] = pieces;
    const taken = pieces.length === 1 && only ? only : Buffer.concat(pieces, this.#bytes);
    this.#pieces = [];
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
  }
}
