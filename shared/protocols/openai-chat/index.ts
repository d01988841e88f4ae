import type { Protocol } from "../protocol.ts";
import { passThrough, readReply } from "./pass-through/codec.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { createReader, errorFrame, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";
import { keys, readRequest } from "./wire.ts";

/** OpenAI chat completions, and its dialects of Volcengine Ark and Zhipu. */
export const openaiChat: Protocol = {
  name: "openai-chat",
  capability: "chat",
  kind: "chat",
  bases: ["zhipu", "openai", "ark"],
  upstreamPath: () => "/chat/completions",
  keys,
  readRequest,
  passThrough,
  untag,
  forwardHeaders: () => ({}),
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"], number: true },
  createReader,
  createStopper,
  outputBytes,
  errorFrame,
  ping: Buffer.from(": ping\n\n"),
};
