import { GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";

/** A request as the pipeline sees it, whichever front it came through, and the reply it gives back. */
export interface HttpRequest {
  /** Our own request id: the ledger key, and `x-request-id` on every answer. */
  id: string;
  method: string;
  /** Still percent-encoded, as function URLs deliver it (aws.md §1.5). */
  path: string;
  query: URLSearchParams;
  /** Lower-case names; repeated headers joined by commas. */
  headers: Record<string, string | undefined>;
  body: Buffer;
  /** The client's address, as far as the front may believe it; absent where it does not know it. */
  ip?: string;
  /** The call begins for so many a time, because the record of its key was changed meanwhile. Absent: the first. */
  reading?: number;
  /** Unix milliseconds. */
  received_at: number;
  /** Unix milliseconds after which the process may have been stopped. */
  deadline_at: number;
  /** Aborted when the process has to end before that: the call is broken off and settled, as at its deadline. */
  stopping?: AbortSignal;
  /** Calls back if its client hangs up before the answer has left. Absent where the front does not notice that. */
  onHangUp?: (tell: () => void) => void;
  /** The process takes no more connections, and ends when its calls have ended. */
  draining?: boolean;
}

/** Where the bytes of an answer go on their way to the client. It neither throws nor rejects. */
export interface BodySink {
  /** Takes bytes. A promise: the reader is behind; it resolves once more may be written, or the reader has gone. */
  write(bytes: Uint8Array): Promise<void> | undefined;
}

/** Writes a body to its end, once. It never rejects: a body that fails kills the runtime (aws.md §1.3). */
export type BodyPump = (sink: BodySink) => Promise<void>;

export interface HttpReply {
  status: number;
  headers: Record<string, string>;
  /** Whole, or written as it comes. */
  body: string | Uint8Array | BodyPump;
  /**
   * Work after the end of the body. The front calls it once, and awaits it before the invocation ends. Never rejects.
   */
  after?: () => Promise<void>;
  /** Resolves when the reader has taken nothing for too long; `after` is done. The front then breaks the connection off. */
  gone?: Promise<void>;
}

declare const shows: unique symbol;

/** A reply whose body is the JSON of a `Shown`; or a text, where that is a string. Only the compiler sees of what. */
export interface ReplyOf<Shown> extends HttpReply {
  readonly [shows]: Shown;
}

/** A reply with a JSON body. */
export function jsonReply<const Shown extends object>(body: Shown, status = 200): ReplyOf<Shown> {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: JSON.stringify(body) } as HttpReply as ReplyOf<Shown>;
}

/** A reply of 200 with a text of another type, which the headers name. */
export function textReply(body: string, headers: Record<string, string>): ReplyOf<string> {
  return { status: 200, headers, body } as HttpReply as ReplyOf<string>;
}

/** Refuses a body that is too large to be read at all. */
export function checkBody({ body }: Pick<HttpRequest, "body">): void {
  if (body.length > limits.bodyBytesMax) throw bodyTooLarge();
}

export function bodyTooLarge(): GatewayError {
  return new GatewayError("too_large", { message: `The body is over ${limits.bodyBytesMax} bytes.` });
}
