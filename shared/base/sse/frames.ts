/**
 * Server-sent events as bytes. The splitter's output, joined, is its input. It gives whole frames, so that the gateway
 * can write one of its own between two (billing.md S32), and side by side, as most need no splitting.
 */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const nothing: Buffer = Buffer.alloc(0);

interface FrameSplitter {
  /** The frames that `chunk` completes, each with its blank line. Throws RangeError beyond the bound. */
  push(chunk: Buffer): Buffer;
  /** The bytes after the last whole frame: a stream may end without its last blank line. */
  rest(): Buffer;
}

/** A splitter with at most `bytesMax` of an unfinished frame. Its room doubles, so a byte is copied few times. */
export function createFrameSplitter(bytesMax: number): FrameSplitter {
  let room: Buffer = nothing;
  let carried = 0;

  /** The unfinished frame with the chunk behind it. */
  const append = (chunk: Buffer): Buffer => {
    const length = carried + chunk.length;
    if (length > room.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, Math.min(2 * room.length, bytesMax)));
      room.copy(grown, 0, 0, carried);
      room = grown;
    }
    chunk.copy(room, carried);
    return room.subarray(0, length);
  };

  return {
    push(chunk) {
      const bytes = carried > 0 ? append(chunk) : chunk;
      // A blank line may be cut in two: three bytes of it can stand in the unfinished frame.
      const end = lastFrameEnd(bytes, Math.max(0, carried - 3));
      // The rest is copied, so that it does not keep a large room alive.
      if (carried === 0) room = end === bytes.length ? nothing : bytes.subarray(end);
      else if (end > 0) room = Buffer.from(bytes.subarray(end));
      carried = bytes.length - end;
      if (carried > bytesMax) throw new RangeError(`a frame is larger than ${bytesMax} bytes`);
      return end === bytes.length ? bytes : bytes.subarray(0, end);
    },
    rest: () => room.subarray(0, carried),
  };
}

/** Offset just past the first blank line at or after `from`, or -1. Lines end in LF or CRLF. */
function frameEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(lineFeed, from); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return -1;
}

/**
 * Offset just past the last frame that ends after `from`, or 0. The search goes backwards, as a read mostly ends there.
 */
function lastFrameEnd(bytes: Buffer, from: number): number {
  const searched = from > 0 ? bytes.subarray(from) : bytes;
  for (let at = searched.lastIndexOf(lineFeed); at > 0; at = searched.lastIndexOf(lineFeed, at - 1)) {
    const before = searched[at - 1];
    if (before !== lineFeed && !(before === carriageReturn && searched[at - 2] === lineFeed)) continue;
    // Where more lines are blank, only a search from the first of them tells which of them end a frame.
    let first = at;
    while (first > 0 && isLineBreak(searched[first - 1])) first -= 1;
    let last = 0;
    for (let end = frameEnd(searched, first); end !== -1; end = frameEnd(searched, end)) last = end;
    return from + last;
  }
  return 0;
}

function isLineBreak(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn;
}

/** Whole frames that stand side by side, one by one. */
export function splitFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let start = 0;
  for (let end = frameEnd(bytes, start); end !== -1; end = frameEnd(bytes, start)) {
    frames.push(bytes.subarray(start, end));
    start = end;
  }
  return frames;
}

/** Whether a frame is a comment, which carries no data. */
export function isComment(frame: Buffer): boolean {
  return frame[0] === 0x3a;
}

/** The `data` of a frame: its data lines joined, without the one space after the colon. */
export function frameData(frame: Buffer): string {
  const text = frame.toString("utf8");
  // Most frames are one line of data.
  const isLine =
    text.startsWith("data: {") && text.endsWith("}\n\n") && text.indexOf("\n") === text.length - 2;
  if (isLine) return text.slice("data: ".length, -2);
  const data: string[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data:")) continue;
    const value = line.endsWith("\r") ? line.slice(5, -1) : line.slice(5);
    data.push(value.startsWith(" ") ? value.slice(1) : value);
  }
  return data.join("\n");
}

/** The frame with other data, a JSON text, in one line; its other lines stay as they are. */
export function withData(frame: Buffer, data: string): Buffer {
  const lines = frame.toString("utf8").split("\n");
  const first = lines.findIndex((line) => line.startsWith("data:"));
  const kept = lines.filter((line, at) => at <= first || !line.startsWith("data:"));
  const end = lines[first]?.endsWith("\r") ? "\r" : "";
  // A line feed in a JSON text is white space between its values.
  kept[first] = `data: ${data.replaceAll("\n", " ")}${end}`;
  return Buffer.from(kept.join("\n"));
}

/** The frame's data as a JSON object, or undefined for anything else (comments, `[DONE]`, garbage). */
export function frameObject(
  frame: Buffer,
  parse: (text: string) => unknown = JSON.parse,
): Record<string, unknown> | undefined {
  const data = frameData(frame);
  if (!data.startsWith("{")) return undefined;
  try {
    return parse(data) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Whether one of these ASCII words stands in the frames, which are not parsed. A pattern finds all words in one pass. */
export function hasWord(frames: Buffer, words: RegExp): boolean {
  return words.test(frames.toString("latin1"));
}

/** One frame: an optional event name and one line of data. */
export function renderFrame(data: string, event?: string): Buffer {
  return Buffer.from(`${event ? `event: ${event}\n` : ""}data: ${data}\n\n`);
}
