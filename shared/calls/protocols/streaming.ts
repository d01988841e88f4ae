/** What is done with a protocol's streams: they are read on the side, stopped, and given another form. */

import type { ErrorDetail, ErrorKey } from "../../base/errors.ts";
import type { ErrorStyle } from "../../base/http/routes.ts";
import type { Fields } from "../../base/json/fields.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import type { Usage, UsageDetails } from "../../books/billing/usage.ts";
import type { Finish } from "../../books/ledger/free.ts";

/** A protocol in which a provider answers with streams. */
export interface ProviderStreaming {
  createReader(call: ChatCall): StreamReader;
  /** Bytes of answer text in the object of one frame, for an estimate. Absent where no text is billed. */
  outputBytes?(event: Fields): number;
}

/** A protocol whose clients read streams. */
export interface Streaming extends ProviderStreaming {
  /** Absent where streams are billed by what they bring, so that none has to be stopped. */
  createStopper?(): StreamStopper;
  /** The form in which the client reads a stream, where it is not frames. */
  createForm?(call: ChatCall): StreamForm | undefined;
  /** A frame that only says that the stream lives. Absent where the protocol's clients break on one. */
  ping?: Buffer;
  /** The protocol's own last frames of a stream that failed. `opening` is what its client was given first. */
  errorFrame(style: ErrorStyle, key: ErrorKey, detail?: ErrorDetail, opening?: Buffer): Buffer;
}

/**
 * What becomes of a frame. `hold` keeps all that follow too, until the usage event is acknowledged. `failed` stops.
 * `opening` is passed, and says nothing yet: where no other has come, the next channel may still answer.
 */
export type FrameHandling = "pass" | "hold" | "drop" | "failed" | "opening";

/** Reads the frames of one stream on the side, without touching them. */
export interface StreamReader {
  read(frame: Buffer): FrameHandling;
  /** Whether `read` would pass each of these frames and learn nothing. Absent where most frames tell something. */
  passes?(frames: Buffer): boolean;
  /** The final usage, once reported. A later report counts unless it is smaller. */
  usage(): Usage | undefined;
  /** The usage so far, where a protocol tells it early. Its input side counts when a stream breaks off. */
  early(): Usage | undefined;
  produced(): boolean;
  /** How many whole pictures have come, in a stream of pictures. */
  pictures?(): number;
  /** What else the price may depend on, as far as the stream has said. */
  details?(): UsageDetails;
  /** How the answer ended, so far. Once it has produced something, not every finish reason may have been read. */
  finish(): Finish;
  /** The protocol's last frame has been read: the stream is over, whether the socket closes or not. */
  over(): boolean;
  /** The protocol has no last frame. More may follow what looks like one, until the provider closes. */
  open_ended?: true;
}

/** Why a stream is stopped, and what it is billed for. */
interface EarlyEnd {
  style: ErrorStyle;
  key: ErrorKey;
  detail?: ErrorDetail;
  /** As billed: an estimate, unless the provider had reported them already. */
  output_tokens: number;
}

/**
 * Follows a client's frames, so that its stream can be stopped: as one that has reached its length, and then the error.
 * The protocol's own last frame stays out, because SDKs stop reading there.
 */
export interface StreamStopper {
  /** Takes a whole frame that leaves. */
  follow(frame: Buffer): void;
  end(reason: EarlyEnd): Buffer[];
}

/** A stream in another form than frames. */
export interface StreamForm {
  content_type: string;
  push(frame: Buffer): Buffer;
  end(): Buffer;
}
