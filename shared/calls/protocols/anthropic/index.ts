import type { Protocol } from "../protocol.ts";
import { anthropicIds } from "../provider-ids.ts";
import { passModel } from "../splicing.ts";
import { fields, readRequest } from "./fields.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { forwardHeaders } from "./pass-through/headers.ts";
import { readReply } from "./pass-through/reply.ts";
import { createReader, errorFrame, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";

/** What calls of messages and counts of their tokens share. */
export const messages = {
  capability: "chat",
  kind: "chat",
  bases: ["anthropic"],
  keys: fields.acted,
  passThrough: passModel,
  ids: anthropicIds,
  untag,
  forwardHeaders,
} satisfies Partial<Protocol>;

/** Anthropic messages. */
export const anthropic = {
  ...messages,
  name: "anthropic",
  upstreamPath: () => "/v1/messages",
  readRequest,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"] },
  stream: {
    createReader,
    createStopper,
    outputBytes,
    errorFrame,
    ping: Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
  },
  crossing: "anthropic",
} satisfies Protocol;
