/** What the gateway needs of a protocol: a core, and parts for streams, forms and crossings (`index.ts`). */

import type { FormBody } from "../../base/http/form.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import type { ProtocolName } from "../../base/http/routes.ts";
import type { JsonBody, OutlinedBody, Slices } from "../../base/json/body.ts";
import type { Fields } from "../../base/json/fields.ts";
import type { IncomingReply } from "../../base/platform/http-client.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import type { Way } from "../../books/billing/pricing/rates.ts";
import type { TokenKind, Usage, UsageDetails } from "../../books/billing/usage.ts";
import type { Capability, ProviderProtocol } from "../../books/catalog/catalog.ts";
import type { HostName } from "../../books/catalog/host.ts";
import type { Traits } from "../../books/catalog/traits.ts";
import type { Finish } from "../../books/ledger/free.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { ServedWays } from "../chat/ways.ts";
import type { CrossingName } from "./crossing.ts";
import type { IdPlaces } from "./provider-ids.ts";
import type { ProviderStreaming, Streaming } from "./streaming.ts";

/** What is read of a whole reply. */
export interface ReplyFacts {
  /** The four disjoint counters (protocols.md §6.4), or undefined when the provider reports none. */
  usage: Usage | undefined;
  /** Anything that counts as output (`output.ts`). */
  produced: boolean;
  finish: Finish;
  /** What else the price may depend on. */
  details?: UsageDetails;
  /** Bytes of text, to estimate from. They are counted only when there is no usage. */
  output_bytes: number;
  /** How many pictures the answer holds. Absent where it has no list of pictures. */
  pictures?: number;
  /** The status is 200, and the body is an error (protocols.md pitfall 22). */
  failed: boolean;
}

/** The part of a request that may tell its model. */
export interface AddressedRequest extends Pick<HttpRequest, "query" | "headers"> {
  /** The path of its row in the table of routes. */
  path: string;
}

/** What a path says of a call. */
export interface Address {
  model: string;
  /** Other names under which the model may be known, best first. */
  also?: readonly string[];
  /** The host by whose own names its models may be named too. */
  host?: HostName;
  stream: boolean;
  /** The client reads a stream as one JSON array. */
  json_array: boolean;
}

/** A request as it is sent. */
export interface Outgoing {
  /** Slices of the client's own bytes wherever it can be: a large body is never copied. */
  body: Slices;
  content_type: string;
  /** Names of the client's fields that are left out. */
  dropped: string[];
  /** The ways of serving the call that a crossing asks for, in the provider's words. */
  ways?: ServedWays;
}

/** What a reply in another form repeats of its call. */
export interface CallEcho {
  /** The model's id as the client knows it. */
  model: string;
  /** The estimated input tokens. The call is billed by them if the provider reports nothing. */
  input_tokens: number;
}

/** A body from which signatures of other models were taken out. */
export interface Untagged {
  bytes: Buffer;
  /** Names of what was taken out. */
  dropped: string[];
}

/** Multipart forms, in a protocol whose clients send them. */
interface Forms {
  /** Checks the parts we act on and reads what we need. Throws `invalid_request`. */
  read(form: FormBody): ChatCall;
  /** The client's parts with only the model changed, or what the provider takes in their place. */
  passThrough(form: FormBody, call: ChatCall, model: string): Outgoing;
}

/** The path of keys to an answer's usage, in a whole reply and in a frame of a stream's end. */
interface UsagePlace {
  whole: readonly string[];
  streamed: readonly string[];
  /** The protocol's clients know a cost as a number. */
  number?: true;
}

/** How a provider's answer in a protocol is read. */
export interface AnswerSide {
  readReply(bytes: Buffer, call?: ChatCall): ReplyFacts;
  /** What a reply's headers say about how the call was served. */
  readHeaders?(headers: IncomingReply["headers"]): UsageDetails;
  /** Its streams. Absent: every answer is whole. */
  stream?: ProviderStreaming;
}

/** How a provider is asked in a protocol. */
export interface ProviderSide {
  name: ProtocolName;
  /** What a model must be able to do, and what the ledger calls such a call. */
  capability: Capability;
  kind: UsageEvent["kind"];
  /** Names of the catalog's provider base URLs that speak it, best first. */
  bases: readonly ProviderProtocol[];
  /** Appended to the provider's base URL for a call of `model`, its own name for it. */
  upstreamPath(model: string, call: ChatCall): string;
  /** Client headers a provider of this protocol may see, by allow-list, and those that its body says. Absent: none. */
  forwardHeaders?(
    headers: Record<string, string | undefined>,
    body?: JsonBody | FormBody,
  ): Record<string, string>;
  /** Kinds of tokens that its models may put out though no request asks for them. */
  unasked?: readonly TokenKind[];
  /** Its words for the ways of serving a call that calls of other protocols may ask for, by ours. */
  ways?: Readonly<Partial<Record<Way, Readonly<Record<string, string>>>>>;
  /** By what its calls reach providers of other protocols, and calls of others reach its own. Those have one too. */
  crossing?: CrossingName;
}

/** A protocol that clients speak. */
export interface Protocol extends ProviderSide, AnswerSide {
  /** Loads its code, before a call of it is decoded, or a provider of it is asked. Absent: it is there at the start. */
  load?(): Promise<void>;
  /** Keys of the body that the gateway acts on. A body that gives one twice is refused. */
  keys: ReadonlySet<string>;
  /** Reads the path, where the model and the wish for a stream stand there and not in the body. Throws `not_found`. */
  address?(parameter: string, asked: AddressedRequest): Address;
  /** Checks the fields we act on and reads what we need. Throws `invalid_request`. */
  readRequest(body: OutlinedBody, address?: Address): ChatCall;
  /** The client's bytes with only the model (and the usage switch, where these traits take it) changed. */
  passThrough(body: JsonBody, call: ChatCall, model: string, traits?: Traits): Slices;
  /** Where its requests and answers have ids of what a provider keeps. Absent: nowhere. */
  ids?: IdPlaces;
  /** Names of fields of the body that `passThrough` leaves out. */
  dropped?(body: JsonBody): string[];
  /** Restores the signatures of `origin` and takes out others', with their blocks. Other bytes stay. Never throws. */
  untag?(bytes: Buffer, origin: string): Untagged;
  /** Headers in which its clients look for what a whole reply to them says. */
  replyHeaders?(bytes: Buffer): Record<string, string>;
  /** Changes a whole reply passed through where the client asked for another form of it. */
  finishReply?(bytes: Buffer, call: ChatCall, asked: CallEcho): Buffer;
  /** Where an answer has its counters. The cost is written into the same object. */
  usage_at?: UsagePlace;
  stream?: Streaming;
  /** Its multipart forms, which may come in place of JSON. */
  forms?: Forms;
  /** The same calls for a provider of another protocol: its bases and paths, and bodies written anew. */
  elsewhere?: Protocol;
  /** On an `elsewhere`: it is preferred for a provider that has base URLs of both protocols. */
  before_own?: true;
}

/** A protocol whose calls only count the input tokens of a chat request. */
export interface CountProtocol extends Protocol {
  countReply(tokens: number): Fields;
}
