/** The port of a host: how a cloud serves a vendor's protocol in a form of its own. */
import type { Fields } from "../../../base/json/fields.ts";
import type { IncomingReply, OutgoingRequest, ReplyHeaders } from "../../../base/platform/http-call.ts";

/** A request to a provider, which its base URL and its credential make whole. */
export interface ProviderRequest extends Omit<OutgoingRequest, "url"> {
  /** Behind the base URL. */
  path: string;
}

/** What of a call a host has to know. */
export interface HostedCall {
  /** The name of the protocol in which the provider is asked. */
  protocol: string;
  /** The provider's name for the model. */
  model: string;
  stream: boolean;
}

/** A request as a host takes it. */
export interface HostedRequest extends Pick<ProviderRequest, "path" | "headers" | "body"> {
  /** Names of what of the client's had to be left out. */
  dropped?: string[];
}

/** A whole answer to one of the requests of a call. */
export interface PartAnswer {
  fields: Fields;
  headers: ReplyHeaders;
}

/** The answer to a call, as the protocol has it. */
export interface JoinedAnswer {
  status: number;
  fields: object;
}

/** A call whose answer is written anew, out of the answers to one request or to several. */
export interface HostedParts {
  /** At least one. */
  requests: readonly Omit<HostedRequest, "dropped">[];
  dropped: readonly string[];
  /** Takes the answers in the order of the requests. Throws `TypeError` for what cannot be read. */
  join(answers: readonly PartAnswer[]): JoinedAnswer;
}

export interface CloudHost {
  /** Other paths, and members in other places. What need not change keeps its bytes. */
  request(asked: ProviderRequest, call: HostedCall): HostedRequest;
  /** Other frames. A reply that is as its protocol has it is given back. */
  reply?(reply: IncomingReply, call: HostedCall): IncomingReply | Promise<IncomingReply>;
  /**
   * The parts of a call for vectors or pictures. Undefined for every other call, which is a `request`. Rejects with
   * `invalid_request` for what the model does not take, and with `no_channel` for a model whose form is not known.
   */
  parts?(asked: PartedRequest, call: HostedCall): Promise<HostedParts> | undefined;
}

/** What of a request its parts are made of. */
export type PartedRequest = Pick<ProviderRequest, "path" | "headers" | "body">;
