/** How a chat protocol is translated to and from the neutral form (shared/calls/chat); streams frame by frame. */

import type { ProtocolName } from "../../base/http/routes.ts";
import type { Fields } from "../../base/json/fields.ts";
import type { Traits } from "../../books/catalog/traits.ts";
import type { StreamDecoder, StreamEncoder } from "../chat/event.ts";
import type { ChatReply } from "../chat/reply.ts";
import type { ChatRequest, DecodedRequest, EncodedRequest } from "../chat/request.ts";
import type { Fitted } from "./fitting/draft.ts";
import type { BodyInputs } from "./fitting/inputs.ts";

/** What an encoder of requests needs besides the request. */
export interface RequestTarget {
  /** The provider's name for the model. */
  model: string;
  /** The model's most output tokens: the default where a protocol requires a maximum. */
  output_tokens: number;
  /** What the model takes at this provider. Absent or empty: all that the protocol has. */
  traits?: Traits;
  /** Whether cache points shall be placed where the client has none, in a protocol that has them. */
  places_points?: boolean;
}

/** What an encoder of replies needs besides the reply. */
export interface ReplyTarget {
  /** The model's id as the client knows it. */
  model: string;
  /** The client's own request, for protocols that repeat parts of it (Responses). */
  request: Fields;
  /** The client said `include_usage: false`. */
  hide_usage: boolean;
  /** The estimated input tokens, for protocols that report them before the provider does. Absent: 0. */
  input_tokens?: number;
  /** A tag without a signature, where this client's protocol wants one and the provider gave none. Absent: nothing. */
  unsigned?: string;
  /** How long the call has taken until now, in milliseconds. Absent: it took no time. */
  latency_ms?(): number;
}

/** The protocols whose calls cross to each other (`crossings.ts`). */
export type CrossingName = Extract<
  ProtocolName,
  "openai-chat" | "anthropic" | "gemini" | "openai-responses" | "bedrock-converse"
>;

/** The way from a client of a protocol, to a provider of it, and back. */
export interface Crossing {
  /** Members with JSON of the client or the model: schemas, arguments, results. Their numbers keep their digits. */
  exact: ReadonlySet<string>;
  encodeRequest(request: ChatRequest, target: RequestTarget): EncodedRequest;
  /** Makes a body of this protocol fit a model with these traits. Without traits it stays the same object. */
  fitRequest(body: Fields, traits: Traits): Fitted;
  /** Translates a provider's whole reply. Throws `TypeError` when it is none. */
  decodeReply(reply: Fields): ChatReply;
  createDecoder(): StreamDecoder;
  /** Translates a checked body. Throws `invalid_request` where leaving a field out would change what it means. */
  decodeRequest(body: Fields): DecodedRequest;
  /** The media and stop sequences of a client's body, which not every model takes. */
  asked(body: Fields): BodyInputs;
  encodeReply(reply: ChatReply, target: ReplyTarget): Fields;
  createEncoder(target: ReplyTarget): StreamEncoder;
}
