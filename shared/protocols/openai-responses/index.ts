import type { Protocol } from "../protocol.ts";
import { passModel } from "../splicing.ts";
import { readReply } from "./pass-through/codec.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { createReader, errorFrame, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";
import { keys, readRequest } from "./wire.ts";

/** OpenAI Responses. */
export const openaiResponses: Protocol = {
  name: "openai-responses",
  capability: "chat",
  kind: "chat",
  bases: ["responses"],
  upstreamPath: () => "/responses",
  keys,
  readRequest,
  passThrough: passModel,
  untag,
  forwardHeaders: () => ({}),
  readReply,
  usage_at: { whole: ["usage"], streamed: ["response", "usage"], number: true },
  createReader,
  createStopper,
  outputBytes,
  errorFrame,
  ping: Buffer.from(": ping\n\n"),
};
