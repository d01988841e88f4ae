/** The body of a reply in AWS's event stream, read as the frames of its protocol. */
import { limits } from "../../../base/limits.ts";
import { type IncomingReply, TransportError } from "../../../base/platform/http-call.ts";
import type { ReplyBody } from "../../../base/platform/reply-body.ts";
import { eventStreamType } from "../../../base/sse/event-message.ts";
import { createMessageSplitter, type StreamMessage } from "../../../base/sse/event-stream.ts";

/** The frame of a message; undefined for one that says nothing. */
export type FrameOf = (message: StreamMessage) => Buffer | undefined;

/** A reply with frames in place of messages. One that is no event stream stays as it is. */
export function withFrames(reply: IncomingReply, frameOf: FrameOf): IncomingReply {
  const { status, headers, body } = reply;
  if (!headers["content-type"]?.startsWith(eventStreamType)) return reply;
  return {
    status,
    headers: { ...headers, "content-type": "text/event-stream" },
    body: new FramedBody(body, frameOf),
  };
}

/** Pulls no more than its reader does, so the sender is stopped as it would be without this. */
class FramedBody implements ReplyBody {
  readonly #body: ReplyBody;
  readonly #frameOf: FrameOf;
  readonly #splitter = createMessageSplitter(limits.frameBytesMax);
  #failure: Error | undefined;

  constructor(body: ReplyBody, frameOf: FrameOf) {
    this.#body = body;
    this.#frameOf = frameOf;
  }

  async next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const frames = this.#framesIn(await this.#body.next());
      if (frames?.length !== 0) return frames;
    }
  }

  take(): Buffer | undefined {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const read = this.#body.take();
      const frames = this.#framesIn(read);
      // A part of a message is no frame. What arrived with it, or its end, is not told again.
      if (frames?.length !== 0 || read?.length === 0) return frames;
    }
  }

  listen(listener: () => void): void {
    this.#body.listen(listener);
  }

  destroy(error?: Error): void {
    this.#body.destroy(error);
  }

  /** The frames of what was read. The messages before a broken one are given first, because they count. */
  #framesIn(read: Buffer | undefined): Buffer | undefined {
    const frames: Buffer[] = [];
    try {
      if (read === undefined && !this.#splitter.isWhole()) throw new RangeError("a message broke off");
      for (const message of read ? this.#splitter.push(read) : []) {
        const frame = this.#frameOf(message);
        if (frame) frames.push(frame);
      }
    } catch (error) {
      this.#failure = new TransportError("sent", error);
      this.#body.destroy(this.#failure);
      if (frames.length === 0) throw this.#failure;
    }
    return read === undefined ? undefined : Buffer.concat(frames);
  }
}
