import type { Protocol } from "../protocol.ts";
import { passThrough, readReply } from "./pass-through/codec.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { createArrayForm, createReader, errorFrame, outputBytes } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";
import { readHeaders } from "./switches.ts";
import { address, keys, readRequest, upstreamPath } from "./wire.ts";

/** Gemini's generate calls. Streams are always asked for as frames; the array form is made of them. */
export const gemini: Protocol = {
  name: "gemini",
  capability: "chat",
  kind: "chat",
  bases: ["gemini"],
  upstreamPath: (model, { stream }) =>
    upstreamPath(model, stream ? "streamGenerateContent" : "generateContent", stream),
  keys,
  address,
  readRequest,
  passThrough,
  untag,
  forwardHeaders: () => ({}),
  readReply,
  readHeaders,
  unasked: ["image_output"],
  usage_at: { whole: ["usageMetadata"], streamed: ["usageMetadata"] },
  createReader,
  createStopper,
  createForm: (call) =>
    call.json_array ? { content_type: "application/json", ...createArrayForm() } : undefined,
  outputBytes,
  errorFrame,
};
