import { errorFrame } from "../error-frame.ts";
import type { Protocol } from "../protocol.ts";
import { geminiIds } from "../provider-ids.ts";
import { fields, readRequest } from "./fields.ts";
import { camel } from "./names.ts";
import { createStopper } from "./pass-through/early-end.ts";
import { chunkBytes, readReply } from "./pass-through/reply.ts";
import { passThrough } from "./pass-through/request.ts";
import { createArrayForm, createReader } from "./pass-through/stream.ts";
import { untag } from "./pass-through/untag.ts";
import { address, upstreamPath } from "./path.ts";
import { readHeaders } from "./switches.ts";

/** What generate calls and counts of their tokens share. */
export const contents = {
  capability: "chat",
  kind: "chat",
  bases: ["gemini"],
  untag,
  ids: { ...geminiIds, spelled: camel },
} satisfies Partial<Protocol>;

/** Gemini's generate calls. Streams are always asked for as frames; the array form is made of them. */
export const gemini = {
  ...contents,
  name: "gemini",
  upstreamPath: (model, { stream }) =>
    upstreamPath(model, stream ? "streamGenerateContent" : "generateContent", stream),
  keys: fields.acted,
  address,
  readRequest,
  passThrough,
  readReply,
  readHeaders,
  unasked: ["image_output"],
  usage_at: { whole: ["usageMetadata"], streamed: ["usageMetadata"] },
  stream: {
    createReader,
    createStopper,
    createForm: ({ json_array }) => (json_array ? createArrayForm() : undefined),
    outputBytes: chunkBytes,
    errorFrame,
  },
  crossing: "gemini",
} satisfies Protocol;
