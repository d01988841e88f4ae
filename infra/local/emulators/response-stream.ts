/**
 * The `awslambda` global, and the stream it gives to a function, as AWS's runtime client has them (aws.md §1.2, §1.3).
 * The first `write` sends the prelude. A stream that is destroyed with an error ends the process.
 */
import { Writable } from "node:stream";

export interface Prelude {
  statusCode?: number;
  headers?: Record<string, string | number | boolean>;
  cookies?: string[];
}

/** Where a response stream goes. Every method may be called after the client is gone. */
export interface Sink {
  /** Comes before anything else, and only once. */
  start(prelude: Prelude): void;
  /** Gives a promise when the client reads slower than the function writes. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  end(): void;
}

/** What AWS sends when the function gives no prelude. */
const defaultPrelude: Prelude = { statusCode: 200, headers: { "content-type": "application/octet-stream" } };

export class ResponseStream extends Writable {
  readonly #sink: Sink;
  #prelude: Prelude = defaultPrelude;
  #started = false;

  constructor(sink: Sink) {
    super();
    this.#sink = sink;
  }

  setPrelude(prelude: Prelude): void {
    this.#prelude = prelude;
  }

  override write(...parameters: unknown[]): boolean {
    this.#start(this.#prelude);
    return (super.write as (...parameters: unknown[]) => boolean).apply(this, parameters);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    // A function that gave everything to `end` never wrote: AWS drops its prelude then.
    this.#start(defaultPrelude);
    const drained = this.#sink.write(chunk);
    if (drained) drained.then(() => done());
    else done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#start(defaultPrelude);
    this.#sink.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    done(null);
    if (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #start(prelude: Prelude): void {
    if (this.#started) return;
    this.#started = true;
    this.#sink.start(prelude);
  }
}

type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => Promise<unknown>;

/** The mark that AWS's runtime puts on a handler whose response is streamed. */
const streaming = Symbol.for("aws.lambda.runtime.handler.streaming");

/** Whether the handler was made with `awslambda.streamifyResponse`. */
export function isStreaming(handler: object): handler is StreamingHandler {
  return streaming in handler;
}

/** Defines the global. Call it before the bundle loads: middy reads the global when it is built. */
export function defineAwsLambda(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse(handler: StreamingHandler) {
        return Object.assign(handler, { [streaming]: "response" });
      },
      HttpResponseStream: {
        from(stream: ResponseStream, prelude: Prelude) {
          // A function may answer into a stream of its own, of which nobody reads a prelude.
          if (stream instanceof ResponseStream) stream.setPrelude(prelude);
          return stream;
        },
      },
    },
  });
}
