/** What an HTTP client takes and gives. */
import type { LookupFunction } from "node:net";
import type { ReplyBody } from "./reply-body.ts";

export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Slices are sent one after the other. Large ones are not joined. */
  body: Uint8Array | string | readonly Uint8Array[];
  /** Until the connection stands. All three waits may be up to a second longer: many calls share one clock. */
  connectMs: number;
  /** Until the reply's headers. */
  firstByteMs: number;
  /** Between two reads of the body. */
  idleMs: number;
  signal?: AbortSignal;
  /**
   * Sends it only once, and on a new connection. If a pooled one is stale, nobody can tell whether a request arrived.
   */
  once?: true;
  /** The DNS of this request, which goes over a connection of its own. Without it, the system's. */
  lookup?: LookupFunction;
}

/** Headers by their names in lower case. One that came several times is joined with commas. */
export type ReplyHeaders = Readonly<Record<string, string | undefined>>;

export interface IncomingReply {
  status: number;
  headers: ReplyHeaders;
  body: ReplyBody;
}

/** Sends a request and resolves with its reply once the headers are there. Rejects with `TransportError`. */
export type Send = (request: OutgoingRequest) => Promise<IncomingReply>;

/** A call that got no usable answer. `connect`: nothing was sent. `sent`: the peer may have acted. */
export class TransportError extends Error {
  readonly phase: "connect" | "sent";

  constructor(phase: "connect" | "sent", cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "TransportError";
    this.phase = phase;
  }
}
