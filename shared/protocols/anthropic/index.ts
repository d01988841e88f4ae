import type { Protocol } from "../protocol.ts";
import { passModel } from "../splicing.ts";
import { forwardHeaders, readReply } from "./pass-through/codec.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { createReader, errorFrame, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";
import { keys, readRequest } from "./wire.ts";

/** Anthropic messages. */
export const anthropic: Protocol = {
  name: "anthropic",
  capability: "chat",
  kind: "chat",
  bases: ["anthropic"],
  upstreamPath: () => "/v1/messages",
  keys,
  readRequest,
  passThrough: passModel,
  untag,
  forwardHeaders,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"] },
  createReader,
  createStopper,
  outputBytes,
  errorFrame,
  ping: Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
};
