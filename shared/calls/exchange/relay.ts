/** The relay of one stream. From the first frame that looks like the end, all are held (design §3 "Hold-back rule"). */
import { limits } from "../../base/limits.ts";
import { createFrameSplitter, frameObject, isComment, splitFrames } from "../../base/sse/frames.ts";
import type { ProviderStreaming, StreamForm, StreamReader, StreamStopper } from "../protocols/streaming.ts";

const nothing = Buffer.alloc(0);

export class StreamFailed extends Error {
  /** What came in the same read before the failure, and may still leave. */
  before: Buffer = nothing;
  /** The frame in which the provider reports it. */
  readonly frame: Buffer | undefined;

  constructor(reason?: string, frame?: Buffer) {
    super(reason);
    this.frame = frame;
  }
}

/** More of a stream would have to be kept than a process can bear. */
export class StreamOverflow extends StreamFailed {}

export interface Relay {
  /** Takes a read of the body, and gives what may leave now. Throws `StreamFailed` for an error in the stream. */
  push(chunk: Buffer): Buffer;
  /** The frames that end the stream: those held, then one without its blank line, or the translation's end. */
  held(): Buffer[];
  /** The stream's last bytes, given its last frames: those held back, or those that report a failure. */
  finish(last: Buffer[]): Buffer;
  /** Follows the stream, where it may have to be stopped. */
  stopper: StreamStopper | undefined;
  /** Whether a frame has come that is neither a comment nor an opening. */
  begun(): boolean;
  /** Bytes of answer text so far. Frames are parsed only when it is called: most streams need no estimate. */
  outputBytes(): number;
}

/** Changes each frame into frames of another protocol. */
export interface Translation {
  push(frame: Buffer): Buffer[];
  /** The frames that the end of the stream still owes. */
  end(): Buffer[];
}

/** How the provider's frames change on their way out. Without any of it they leave as they came. */
interface FrameChanges {
  translation?: Translation | undefined;
  /** The form in which the client reads its frames. */
  form?: StreamForm | undefined;
  stopper?: StreamStopper | undefined;
}

/** A relay for the frames of `stream`. `reader` reads each frame on the side. */
export function createRelay(
  stream: Pick<ProviderStreaming, "outputBytes">,
  reader: StreamReader,
  { translation, form, stopper }: FrameChanges = {},
): Relay {
  const splitter = createFrameSplitter(limits.frameBytesMax);
  const { observe, count } = createOutputCount(stream);
  const held: Buffer[] = [];
  let heldBytes = 0;
  let holding = false;
  let begun = false;

  const hold = (frames: Buffer[]): void => {
    for (const frame of frames) heldBytes += frame.length;
    if (heldBytes > limits.heldBytesMax) throw new StreamOverflow("more was held back than may be");
    held.push(...frames);
  };

  const shape = (frames: Buffer[]): Buffer[] => (form ? frames.map((frame) => form.push(frame)) : frames);
  const finish = (frames: Buffer[]): Buffer => join(form ? [...shape(frames), form.end()] : frames);
  // In another form, the bytes of an unfinished frame mean nothing.
  const end = (): Buffer[] => (translation ? translation.end() : form ? [] : [splitter.rest()]);

  const isUnchanged = !translation && !form;
  /** Most reads have nothing that must be parsed. They leave as they came, and are split only to be counted. */
  const passWhole = (read: Buffer): boolean =>
    isUnchanged && !stopper && begun && !holding && reader.passes?.(read) === true;

  const relay = (read: Buffer, out: Buffer[]): void => {
    for (const frame of splitFrames(read)) {
      const handling = reader.read(frame);
      begun ||= handling !== "opening" && !isComment(frame);
      if (handling === "failed") throw new StreamFailed("the provider reports an error", frame);
      observe(frame);
      if (handling !== "pass" && handling !== "opening") holding = true;
      if (translation) {
        const frames = translation.push(frame);
        if (holding) hold(frames);
        else out.push(...frames);
      } else if (!holding) out.push(frame);
      else if (handling !== "drop") hold([frame]);
    }
  };
  const leave = (read: Buffer, out: Buffer[]): Buffer => {
    if (stopper) for (const frame of out) stopper.follow(frame);
    if (!isUnchanged) return join(shape(out));
    // Unchanged frames leave until the first that does not, so they still stand side by side.
    return read.subarray(
      0,
      out.reduce((bytes, frame) => bytes + frame.length, 0),
    );
  };

  return {
    push(chunk) {
      const read = splitter.push(chunk);
      if (read.length === 0) return nothing;
      if (passWhole(read)) {
        observe(read);
        return read;
      }
      const out: Buffer[] = [];
      try {
        relay(read, out);
      } catch (error) {
        // These frames are counted, so the client is given them.
        if (error instanceof StreamFailed) error.before = leave(read, out);
        throw error;
      }
      return leave(read, out);
    },
    held: () => [...held, ...end()],
    finish,
    stopper,
    begun: () => begun,
    outputBytes: count,
  };
}

/** Counts the answer text of what a relay has seen, once somebody asks. */
function createOutputCount(stream: Pick<ProviderStreaming, "outputBytes">): {
  /** Keeps frames until they are counted. */
  observe(frames: Buffer): void;
  /** Bytes of answer text in all frames until now. */
  count(): number;
} {
  const observed: Buffer[] = [];
  let observedBytes = 0;
  let outputBytes = 0;
  const count = (): number => {
    for (const frame of observed.splice(0).flatMap(splitFrames)) {
      if (!isComment(frame)) outputBytes += bytesOf(frame, stream);
    }
    observedBytes = 0;
    return outputBytes;
  };
  const observe = (frames: Buffer): void => {
    observedBytes += frames.length;
    observed.push(frames);
    // Only a long stream pays for this parsing. Its frames must all be counted, and cannot all be kept.
    if (observedBytes > limits.observedBytesMax) count();
  };
  return { observe, count };
}

/** Bytes of answer text in a frame. One whose JSON is nested too deeply to be written again counts as a whole. */
function bytesOf(frame: Buffer, stream: Pick<ProviderStreaming, "outputBytes">): number {
  try {
    const event = stream.outputBytes && frameObject(frame);
    return (event && stream.outputBytes?.(event)) ?? 0;
  } catch {
    return frame.length;
  }
}

function join(frames: Buffer[]): Buffer {
  return frames.length === 1 ? (frames[0] ?? nothing) : Buffer.concat(frames);
}
