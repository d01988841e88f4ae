/** The streams of a protocol that has them. */
import type { ProtocolName } from "#shared/base/http/routes.ts";
import { protocols } from "#shared/calls/protocols/index.ts";
import type { Streaming } from "#shared/calls/protocols/streaming.ts";

export function streamingOf(name: ProtocolName): Streaming {
  const { stream } = protocols[name];
  if (!stream) throw new Error(`${name} has no streams`);
  return stream;
}
