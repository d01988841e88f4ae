import { errorFrame } from "../error-frame.ts";
import type { Protocol } from "../protocol.ts";
import { chatIds } from "../provider-ids.ts";
import { fields, readRequest } from "./fields.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { readReply } from "./pass-through/reply.ts";
import { passThrough } from "./pass-through/request.ts";
import { createReader, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";

/** OpenAI chat completions, and its dialects of Volcengine Ark and Zhipu. */
export const openaiChat = {
  name: "openai-chat",
  capability: "chat",
  kind: "chat",
  bases: ["zhipu", "openai", "ark"],
  upstreamPath: () => "/chat/completions",
  keys: fields.acted,
  readRequest,
  passThrough,
  ids: chatIds,
  untag,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"], number: true },
  stream: { createReader, createStopper, outputBytes, errorFrame, ping: Buffer.from(": ping\n\n") },
  crossing: "openai-chat",
} satisfies Protocol;
