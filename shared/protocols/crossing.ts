/**
 * What a chat protocol gives so that a client of it can reach a provider of another, and the other way
 * round: pure functions to and from the neutral form (shared/chat), and steppers for streams.
 */
import type { Traits } from "../catalog/traits.ts";
import type { StreamDecoder, StreamEncoder } from "../chat/event.ts";
import type { ChatReply } from "../chat/reply.ts";
import type { ChatRequest, DecodedRequest, EncodedRequest } from "../chat/request.ts";
import type { Fields } from "../json/fields.ts";
import type { Fitted } from "./fitting/draft.ts";
import type { Asked } from "./fitting/inputs.ts";

/** What an encoder of requests is told beyond the request. */
export interface RequestTarget {
  /** The provider's name for the model. */
  model: string;
  /** The model's most output tokens: the default where a protocol requires a maximum. */
  output_tokens: number;
  /** What the model takes at this provider; absent or empty: whatever the protocol has. */
  traits?: Traits;
}

/** What an encoder of replies is told beyond the reply. */
export interface ReplyTarget {
  /** The model's id as the client knows it. */
  model: string;
  /** The client's own request, for protocols that repeat parts of it (Responses). */
  request: Fields;
  /** The client said `include_usage: false`. */
  hide_usage: boolean;
  /** The likely input, for protocols that tell it before the provider does; 0 if absent. */
  input_tokens?: number;
  /**
   * A tag without a signature: it stands where this client's protocol wants a signature and the provider gave none.
   * Absent: nothing stands there.
   */
  unsigned?: string;
}

export interface Crossing {
  /** Members with JSON that is the client's or the model's own: schemas, arguments, results. Their numbers keep their digits. */
  exact: ReadonlySet<string>;
  /**
   * The client's body, already checked by the room's `readRequest`, as neutral request. Throws
   * `invalid_request` for what would change its meaning silently.
   */
  decodeRequest(body: Fields): DecodedRequest;
  encodeRequest(request: ChatRequest, target: RequestTarget): EncodedRequest;
  /** What a client's body asks of a model that not every model has. */
  asked(body: Fields): Asked;
  /** A body of this protocol as a model with these traits takes it: the same body where they say nothing. */
  fitRequest(body: Fields, traits: Traits): Fitted;
  /** A provider's whole reply. Throws `TypeError` when it is none. */
  decodeReply(reply: Fields): ChatReply;
  encodeReply(reply: ChatReply, target: ReplyTarget): Fields;
  createDecoder(): StreamDecoder;
  createEncoder(target: ReplyTarget): StreamEncoder;
}
