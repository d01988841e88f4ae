/** The port of a host: how a cloud serves a vendor's protocol in a form of its own. */
import type { IncomingReply, OutgoingRequest } from "../../../base/platform/http-call.ts";

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

export interface CloudHost {
  /** Other paths, and members in other places. What need not change keeps its bytes. */
  request(asked: ProviderRequest, call: HostedCall): HostedRequest;
  /** Other frames. A reply that is as its protocol has it is given back. */
  reply?(reply: IncomingReply, call: HostedCall): IncomingReply | Promise<IncomingReply>;
}
