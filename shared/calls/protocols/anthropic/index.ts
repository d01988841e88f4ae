import type { Protocol } from "../protocol.ts";
import { anthropicIds } from "../provider-ids.ts";
import { passModel } from "../splicing.ts";
import { fields, readRequest } from "./fields.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { readReply } from "./pass-through/reply.ts";
import { createReader, errorFrame, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";

/** The version for a client that names none. It is the one that still takes sampling parameters. */
const defaultVersion = "2023-06-01";

/** What calls of messages and counts of their tokens share. */
export const messages = {
  capability: "chat",
  kind: "chat",
  bases: ["anthropic"],
  keys: fields.acted,
  passThrough: passModel,
  ids: anthropicIds,
  untag,
  // The client's version and betas say how its body is to be read (protocols.md §0.2).
  forwardHeaders: ({ "anthropic-version": version = defaultVersion, "anthropic-beta": beta }) => ({
    "anthropic-version": version,
    ...(beta ? { "anthropic-beta": beta } : {}),
  }),
} satisfies Partial<Protocol>;

export const anthropic = {
  ...messages,
  name: "anthropic",
  upstreamPath: () => "/v1/messages",
  readRequest,
  readReply,
  usage_at: { whole: ["usage"], streamed: ["usage"] },
  stream: {
    createReader,
    createStopper: () => createStopper(),
    outputBytes,
    errorFrame,
    ping: Buffer.from('event: ping\ndata: {"type":"ping"}\n\n'),
  },
  crossing: "anthropic",
} satisfies Protocol;
