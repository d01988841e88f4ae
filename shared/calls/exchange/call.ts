/** A call as its exchange with a provider sees it, and that exchange. */

import type { HttpRequest } from "../../base/http/message.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import type { InputSize } from "../chat/measure.ts";
import type { AnswerSide, Outgoing } from "../protocols/protocol.ts";
import type { ProviderStreaming, StreamReader, StreamStopper } from "../protocols/streaming.ts";
import type { Relay } from "./relay.ts";
import type { RoutedCall } from "./upstream-route.ts";

/** Marks the ids in the answer of one attempt: in a whole reply, or in the frames that a relay lets go. */
interface Marker {
  bytes(reply: Buffer): Buffer;
  relay(relay: Relay): Relay;
}

/** Makes a marker for an attempt at an account. Each id is marked once, however often the answer names it. */
export type MarkerFor = (account: string) => Marker;

/** The part of a decoded call on which its exchange depends. */
export interface ExchangedCall extends RoutedCall {
  request: Pick<HttpRequest, "id" | "received_at">;
  call: ChatCall;
  size: InputSize;
  /** Whether tools that the model's provider cannot run may be left out. */
  drops_tools: boolean;
  /** Marks the ids in answers, where they bring any (own-ids.ts). */
  markersFor?: MarkerFor;
  /** The account that knows the ids in the body. */
  account?: string;
  /** Whether the client wants its body made to fit the model, also where the provider speaks its protocol. */
  adapts: boolean;
  /** What the client wishes of cache points on a crossing; undefined where it says nothing. */
  cache_points: "auto" | "off" | undefined;
}

/** Tells the time, in Unix milliseconds. */
export interface Clock {
  now(): number;
}

export interface Exchange {
  request: Outgoing;
  /** The relay of a streamed answer, which `reader` reads. A `stopper` follows a stream that may have to be stopped. */
  createRelay(stream: ProviderStreaming, reader: StreamReader, stopper: StreamStopper | undefined): Relay;
  /** The provider's whole reply as the client's. Throws `TypeError` where it cannot be read. */
  finish(bytes: Buffer): Buffer;
  /** How the provider's answer is read. */
  answers: AnswerSide;
  /** The content type that the client is given; undefined keeps the provider's. */
  content_type: string | undefined;
}
