/** What a protocol is to the gateway: one room of files that implement this, and a row in `index.ts`. */
import type { Usage } from "../billing/usage.ts";
import type { ChatCall } from "../chat/call.ts";
import type { ErrorDetail, ErrorKey } from "../errors.ts";
import type { JsonBody } from "../http/json.ts";
import type { ErrorStyle, ProtocolName } from "../http/routes.ts";

/** What a whole reply says of itself. */
export interface ReplyFacts {
  /** The four disjoint counters (protocols.md §6.4), or undefined when the provider reports none. */
  usage: Usage | undefined;
  /** Anything a client could use: text, a tool call, reasoning. A 200 without any is free (design §3). */
  produced: boolean;
  /** Bytes of text, to estimate from when there is no usage. */
  output_bytes: number;
  /** A 200 whose body is an error (protocols.md pitfall 22). */
  failed: boolean;
}

/**
 * What the relay does with a frame: let it `pass`, `hold` it and everything after it until the usage
 * event is acknowledged, `drop` it, or stop because the provider `failed` inside its own stream.
 */
export type Verdict = "pass" | "hold" | "drop" | "failed";

/** Reads the frames of one stream on the side, without touching them. */
export interface StreamReader {
  read(frame: Buffer): Verdict;
  /** The final usage, once reported. */
  usage(): Usage | undefined;
  /** Input-side usage where a protocol reports it first (Anthropic); for streams that break off. */
  early(): Usage | undefined;
  produced(): boolean;
  /** The protocol's last frame has been read: the stream is over, whether the socket closes or not. */
  over(): boolean;
}

export interface Protocol {
  name: ProtocolName;
  /** Names of the catalog's provider base URLs that speak it, best first. */
  bases: readonly string[];
  /** Appended to the base URL. */
  path: string;
  /** Keys of the body we act on: given twice they are refused. */
  keys: ReadonlySet<string>;
  /** Checks the fields we act on and reads what we need. Throws `invalid_request`. */
  readRequest(body: JsonBody): ChatCall;
  /** The client's bytes with only the model (and the usage switch) changed. */
  passThrough(body: JsonBody, call: ChatCall, model: string): Buffer;
  /** Client headers a provider of this protocol may see, by allow-list. */
  forwardHeaders(headers: Record<string, string | undefined>): Record<string, string>;
  readReply(bytes: Buffer): ReplyFacts;
  createReader(call: ChatCall): StreamReader;
  /** Bytes of answer text in one frame, for an estimate. */
  outputBytes(frame: Buffer): number;
  /** The protocol's own last frame of a stream that failed. */
  errorFrame(style: ErrorStyle, key: ErrorKey, detail?: ErrorDetail): Buffer;
}
