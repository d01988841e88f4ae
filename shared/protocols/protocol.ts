/** What a protocol is to the gateway: one room of files that implement this, and a row in `index.ts`. */

import type { TokenKind, Usage, UsageDetails } from "../billing/usage.ts";
import type { Capability, ProviderProtocol } from "../catalog/catalog.ts";
import type { ChatCall } from "../chat/call.ts";
import type { ErrorDetail, ErrorKey } from "../errors.ts";
import type { FormBody } from "../http/form.ts";
import type { ErrorStyle, ProtocolName } from "../http/routes.ts";
import type { JsonBody } from "../json/body.ts";
import type { Fields } from "../json/fields.ts";
import type { Finish } from "../ledger/free.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";
import type { IncomingReply } from "../platform/http-client.ts";

/** What a whole reply says of itself. */
export interface ReplyFacts {
  /** The four disjoint counters (protocols.md §6.4), or undefined when the provider reports none. */
  usage: Usage | undefined;
  /** Anything that counts as output (`output.ts`). */
  produced: boolean;
  finish: Finish;
  /** What else the price may depend on. */
  details?: UsageDetails;
  /** Bytes of text, to estimate from when there is no usage. */
  output_bytes: number;
  /** Pictures that stand in the answer, of an answer that lists pictures. */
  pictures?: number;
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
  /** The final usage, once reported. Of several reports a later one counts where it is no smaller. */
  usage(): Usage | undefined;
  /** Usage so far, of which the input side counts, where a protocol tells it early; for streams that break off. */
  early(): Usage | undefined;
  produced(): boolean;
  /** Pictures that have come whole, of a stream of pictures. */
  pictures?(): number;
  /** What else the price may depend on, as far as it has been told. */
  details?(): UsageDetails;
  /** The finish reasons so far. Of an answer that has produced something they may not all have been read. */
  finish(): Finish;
  /** The protocol's last frame has been read: the stream is over, whether the socket closes or not. */
  over(): boolean;
  /** The protocol has no last frame: more may follow what looks like it, for as long as the provider does not close. */
  open_ended?: true;
}

/** Why a stream is ended early, and what it is billed for. */
export interface EarlyEnd {
  style: ErrorStyle;
  key: ErrorKey;
  detail?: ErrorDetail;
  /** As billed: an estimate, unless the provider had reported them already. */
  output_tokens: number;
}

/**
 * Follows the frames that a client is given, so that its stream can be ended early (billing.md §2.5). It closes what is
 * open, ends the answer as one that has reached its length, and then sends the error. It leaves the protocol's last frame
 * out, because SDKs stop reading there and would not see the error.
 */
export interface StreamStopper {
  /** Takes a whole frame that leaves. */
  follow(frame: Buffer): void;
  /** The frames that stop the stream. */
  end(why: EarlyEnd): Buffer[];
}

/** What a path says of a call. */
export interface Address {
  model: string;
  stream: boolean;
  /** The client reads a stream as one JSON array. */
  json_array: boolean;
}

/** A stream in another form than frames. */
export interface StreamForm {
  content_type: string;
  push(frame: Buffer): Buffer;
  end(): Buffer;
}

/** A request as it is sent. */
export interface Outgoing {
  bytes: Buffer;
  content_type: string;
  /** Names of the client's fields that are left out. */
  dropped: string[];
}

/** What a reply in another form says of the call it answers. */
export interface Asked {
  /** The model's id as the client knows it. */
  model: string;
  /** The likely input tokens, by which the call is billed should the provider report nothing. */
  input_tokens: number;
}

/** A body from which signatures of other models were taken out. */
export interface Untagged {
  bytes: Buffer;
  /** Names of what was taken out. */
  dropped: string[];
}

/** What a protocol whose clients also send multipart forms does with them. */
export interface Forms {
  /** Checks the parts we act on and reads what we need. Throws `invalid_request`. */
  read(form: FormBody): ChatCall;
  /** The client's parts with only the model changed, or what the provider takes in their place. */
  passThrough(form: FormBody, call: ChatCall, model: string): Outgoing;
}

/** The path of keys to an answer's usage, in a whole reply and in a frame of a stream's end. */
export interface UsagePlace {
  whole: readonly string[];
  streamed: readonly string[];
  /** The protocol's clients know a cost as a number. */
  number?: true;
}

export interface Protocol {
  name: ProtocolName;
  /** What a model must be able to do, and what the ledger calls such a call. */
  capability: Capability;
  kind: UsageEvent["kind"];
  /** Names of the catalog's provider base URLs that speak it, best first. */
  bases: readonly ProviderProtocol[];
  /** Appended to the provider's base URL for a call of `model`, its own name for it. */
  upstreamPath(model: string, call: ChatCall): string;
  /** Keys of the body we act on: given twice they are refused. */
  keys: ReadonlySet<string>;
  /** Where the model, and whether to stream, stand in the path and not in the body. Throws `not_found`. */
  address?(parameter: string, query: URLSearchParams): Address;
  /** Checks the fields we act on and reads what we need. Throws `invalid_request`. */
  readRequest(body: JsonBody, address?: Address): ChatCall;
  /** The client's bytes with only the model (and the usage switch) changed. */
  passThrough(body: JsonBody, call: ChatCall, model: string): Buffer;
  /** Client headers a provider of this protocol may see, by allow-list. */
  forwardHeaders(headers: Record<string, string | undefined>): Record<string, string>;
  /** Multipart forms, where they may come in place of JSON. */
  forms?: Forms;
  /** Names of fields of the body that `passThrough` leaves out. */
  dropped?(body: JsonBody): string[];
  /**
   * Reads the tags that a crossing wrote, in a body that is passed through to the model of `origin`. Restores the model's
   * own signatures, and takes out those of others with their blocks. Every other byte stays. Never throws.
   */
  untag?(bytes: Buffer, origin: string): Untagged;
  readReply(bytes: Buffer, call?: ChatCall): ReplyFacts;
  /** What a reply's headers tell of how the call is served. */
  readHeaders?(headers: IncomingReply["headers"]): UsageDetails;
  /** Parts of the output that its models may bring though no request asks for them. */
  unasked?: readonly TokenKind[];
  /** Changes a whole reply passed through where the client asked for another form of it. */
  finishReply?(bytes: Buffer, call: ChatCall, asked: Asked): Buffer;
  createReader(call: ChatCall): StreamReader;
  createStopper(): StreamStopper;
  /** The form the client reads a stream in, where it is not frames. */
  createForm?(call: ChatCall): StreamForm | undefined;
  /** A frame that says nothing but that the stream lives, where the protocol's clients bear one. */
  ping?: Buffer;
  /** Bytes of answer text in one frame, for an estimate. */
  outputBytes(frame: Buffer): number;
  /** Where an answer's counters stand, whose object may have members of ours. */
  usage_at?: UsagePlace;
  /** The protocol's own last frame of a stream that failed. */
  errorFrame(style: ErrorStyle, key: ErrorKey, detail?: ErrorDetail): Buffer;
  /** The same calls as a provider of another protocol takes them: its bases and paths, whole bodies rewritten. */
  elsewhere?: Protocol;
  /** As an `elsewhere`: a provider that has a base URL of it is spoken to in it, though it has one of the client's too. */
  before_own?: true;
}

/** A protocol whose calls only count the input tokens of a chat request. */
export interface CountProtocol extends Protocol {
  /** The reply that says so many tokens. */
  countReply(tokens: number): Fields;
}
