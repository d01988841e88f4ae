/** The one HTTP client: status, headers, and a body of bytes that its reader pulls. No JSON, no retries, no AWS. */
import { type IncomingReply, type OutgoingRequest, TransportError } from "./http-call.ts";
import { exchange, StaleConnection } from "./undici.ts";

export { type IncomingReply, type OutgoingRequest, type Send, TransportError } from "./http-call.ts";

/**
 * Sends one request, and a stale connection's once more (aws.md §4.2). A provider that did the work twice is paid twice
 * by us, never by the client. Follows no redirect. Rejects with `TransportError`.
 */
export async function send(request: OutgoingRequest): Promise<IncomingReply> {
  if (request.once || request.lookup) return await exchange(request, "once");
  try {
    return await exchange(request, "kept");
  } catch (error) {
    if (error instanceof StaleConnection) return await exchange(request, "once");
    throw error;
  }
}

/** Reads a whole body, at most `bytesMax`. Rejects with `TransportError` when it breaks off or is larger. */
export async function readAll({ body }: Pick<IncomingReply, "body">, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    // A short body has come to its end when its bytes are read: then nothing is waited for.
    const taken = body.take();
    const piece = taken?.length === 0 ? await body.next() : taken;
    if (piece === undefined) break;
    bytes += piece.length;
    pieces.push(piece);
    if (bytes > bytesMax) {
      const error = new TransportError("sent", new Error(`body over ${bytesMax} bytes`));
      body.destroy(error);
      throw error;
    }
  }
  const [only] = pieces;
  return pieces.length === 1 && only ? only : Buffer.concat(pieces, bytes);
}
