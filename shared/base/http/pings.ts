/**
 * Pings between the frames of a stream. A reasoning model can be silent for minutes, and proxies close idle connections.
 */
import { limits } from "../limits.ts";
import type { BodySink } from "./message.ts";

export interface Silence {
  /** The gateway now waits for the provider. */
  begin(): void;
  /** The provider has sent something. Gives a promise while the reader has not taken the last ping. */
  end(): Promise<void> | undefined;
  stop(): void;
}

/** Writes pings while a stream's provider is silent. One timer, as one a frame costs more. `now` is Unix ms. */
export function watchSilence(sink: BodySink, ping: Uint8Array, now: () => number): Silence {
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
    stop() {
      since = undefined;
      clearTimeout(timer);
    },
  };
}
