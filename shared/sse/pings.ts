/** Pings between the frames of a stream. */
import { limits } from "../limits.ts";
import { within } from "../platform/pause.ts";

/**
 * The bytes of a stream, with a ping between frames whenever the provider is silent for long. A reasoning model can be
 * silent for minutes, and proxies close idle connections.
 */
export async function* withPings(
  next: () => Promise<Buffer | undefined>,
  ping: Buffer | undefined,
): AsyncGenerator<Uint8Array> {
  for (let pending = next(); ; ) {
    const out = ping ? await within(pending, limits.pingMs, ping) : await pending;
    if (out === undefined) return;
    if (out.length > 0) yield out;
    if (out !== ping) pending = next();
  }
}
