/**
 * The relay of one stream: whole frames go out as they arrive, until the first one that looks like the
 * end. From there everything is held until the usage event is acknowledged (design §3 "Hold-back rule").
 * Whatever is kept has a bound: a stream of which more would have to be held has failed.
 */
import { limits } from "../limits.ts";
import type { StreamForm, Streaming, StreamReader, StreamStopper } from "../protocols/streaming.ts";
import { createFrameSplitter } from "../sse/frames.ts";

const nothing = Buffer.alloc(0);

export class StreamFailed extends Error {
  /** What came in the same read before the failure, and may leave. */
  before: Buffer = nothing;
}

/** More would have to be held of a stream than a process can bear. */
export class StreamOverflow extends StreamFailed {}

export interface Relay {
  /** Takes a read of the provider's body; gives what may leave now. Throws `StreamFailed` on an error in the stream's own band. */
  push(chunk: Buffer): Buffer;
  /** The frames held back and those that end the stream: one without its blank line, or the translation's end. */
  held(): Buffer[];
  /** The bytes that end the stream, given its last frames: what was held, or the words of a failure. */
  finish(last: Buffer[]): Buffer;
  /** What follows the stream, where it may have to be stopped. */
  stopper: StreamStopper | undefined;
  /** Whether any frame but comments has been seen. */
  begun(): boolean;
  /** Bytes of answer text so far. Frames that wait to be counted are parsed now, each once: an estimate is the exception. */
  outputBytes(): number;
}

/** Changes each frame into frames of another protocol. */
export interface Translation {
  push(frame: Buffer): Buffer[];
  /** What is still owed at the end of the stream. */
  end(): Buffer[];
}

/** What becomes of the provider's frames on their way out; without any of it they leave as they came. */
export interface Outlet {
  translation?: Translation | undefined;
  /** The form in which the client reads its frames. */
  form?: StreamForm | undefined;
  stopper?: StreamStopper | undefined;
}

/** A relay for the frames of a stream, which `reader` reads on the side. */
export function createRelay(
  stream: Pick<Streaming, "outputBytes">,
  reader: StreamReader,
  { translation, form, stopper }: Outlet = {},
): Relay {
  const splitter = createFrameSplitter(limits.frameBytesMax);
  const held: Buffer[] = [];
  const observed: Buffer[] = [];
  let observedBytes = 0;
  let outputBytes = 0;
  let heldBytes = 0;
  let holding = false;
  let begun = false;

  const count = (): number => {
    for (const frame of observed.splice(0)) outputBytes += stream.outputBytes(frame);
    observedBytes = 0;
    return outputBytes;
  };
  const observe = (frame: Buffer): void => {
    observedBytes += frame.length;
    observed.push(frame);
    // Most streams end before: only a long one pays for the reading, of which nothing may be forgotten.
    if (observedBytes > limits.observedBytesMax) count();
  };
  const hold = (frames: Buffer[]): void => {
    for (const frame of frames) heldBytes += frame.length;
    if (heldBytes > limits.heldBytesMax) throw new StreamOverflow("more was held back than may be");
    held.push(...frames);
  };

  const shape = (frames: Buffer[]): Buffer[] => (form ? frames.map((frame) => form.push(frame)) : frames);
  const finish = (frames: Buffer[]): Buffer => join(form ? [...shape(frames), form.end()] : frames);
  // Bytes of an unfinished frame are nothing in another form.
  const end = (): Buffer[] => (translation ? translation.end() : form ? [] : [splitter.rest()]);

  const relay = (chunk: Buffer, out: Buffer[]): void => {
    for (const frame of splitter.push(chunk)) {
      const isComment = frame[0] === 0x3a;
      begun ||= !isComment;
      const verdict = reader.read(frame);
      if (verdict === "failed") throw new StreamFailed();
      if (!isComment) observe(frame);
      if (verdict !== "pass") holding = true;
      if (translation) {
        const frames = translation.push(frame);
        if (holding) hold(frames);
        else out.push(...frames);
      } else if (!holding) out.push(frame);
      else if (verdict !== "drop") hold([frame]);
    }
  };
  const leave = (out: Buffer[]): Buffer => {
    if (stopper) for (const frame of out) stopper.follow(frame);
    return join(shape(out));
  };

  return {
    push(chunk) {
      const out: Buffer[] = [];
      try {
        relay(chunk, out);
      } catch (error) {
        // Those frames are counted, so they are also given.
        if (error instanceof StreamFailed) error.before = leave(out);
        throw error;
      }
      return leave(out);
    },
    held: () => [...held, ...end()],
    finish,
    stopper,
    begun: () => begun,
    outputBytes: count,
  };
}

function join(frames: Buffer[]): Buffer {
  return frames.length === 1 ? (frames[0] ?? nothing) : Buffer.concat(frames);
}
