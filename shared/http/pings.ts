/** Pings between the frames of a stream. */
import { limits } from "../limits.ts";
import type { BodySink } from "./message.ts";

/** A stream with the ping of its protocol, which is absent where the protocol's clients break on one. */
interface PingedStream {
  /** The next bytes, maybe none; undefined at the end. Never rejects. */
  next: () => Promise<Uint8Array | undefined>;
  ping: Uint8Array | undefined;
}

/**
 * Writes the bytes of a stream, with a ping between frames whenever the provider is silent for long. A reasoning model
 * can be silent for minutes, and proxies close idle connections. `now` gives Unix milliseconds.
 */
export async function writeWithPings(
  sink: BodySink,
  { next, ping }: PingedStream,
  { now }: { now: () => number },
): Promise<void> {
  const silence = ping && watchSilence(sink, ping, now);
  try {
    for (;;) {
      silence?.begin();
      const out = await next();
      const behind = silence?.end();
      if (behind) await behind;
      if (out === undefined) return;
      if (out.length > 0) await sink.write(out);
    }
  } finally {
    silence?.stop();
  }
}

interface Silence {
  /** The gateway now waits for the provider. */
  begin(): void;
  /** The provider has sent something. Gives a promise while the reader has not taken the last ping. */
  end(): Promise<void> | undefined;
  stop(): void;
}

/** Writes the pings of one stream. One timer looks from time to time, because a timer for each frame costs more. */
function watchSilence(sink: BodySink, ping: Uint8Array, now: () => number): Silence {
  let timer: NodeJS.Timeout | undefined;
  let since: number | undefined;
  let behind: Promise<void> | undefined;

  const begin = (): void => {
    since = now();
    timer ??= setTimeout(look, limits.pingMs);
  };
  const look = (): void => {
    timer = undefined;
    if (since === undefined) return;
    const left = since + limits.pingMs - now();
    if (left > 0) {
      timer = setTimeout(look, left);
      return;
    }
    behind = sink.write(ping)?.then(taken);
    if (!behind) begin();
  };
  const taken = (): void => {
    behind = undefined;
    if (since !== undefined) begin();
  };
  return {
    begin,
    end() {
      since = undefined;
      return behind;
    },
    stop: () => clearTimeout(timer),
  };
}
