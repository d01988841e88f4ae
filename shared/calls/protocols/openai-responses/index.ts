import type { Protocol } from "../protocol.ts";
import { responsesIds } from "../provider-ids.ts";
import { passModel } from "../splicing.ts";
import { fields, readRequest } from "./fields.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { readReply } from "./pass-through/reply.ts";
import { createReader, errorFrame, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";

export const openaiResponses = {
  name: "openai-responses",
  capability: "chat",
  kind: "chat",
  bases: ["responses"],
  upstreamPath: () => "/responses",
  keys: fields.acted,
  readRequest,
  passThrough: passModel,
  ids: responsesIds,
  untag,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["response", "usage"], number: true },
  stream: {
    createReader,
    createStopper,
    outputBytes,
    errorFrame,
    // OpenAI sends this event too, and SDKs leave it out. Codex waits for an event, and does not see a comment.
    ping: Buffer.from('event: keepalive\ndata: {"type":"keepalive","sequence_number":0}\n\n'),
  },
  crossing: "openai-responses",
} satisfies Protocol;
