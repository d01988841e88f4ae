import type { Protocol } from "../protocol.ts";
import { forwardHeaders, passThrough, readReply } from "./codec.ts";
import { createReader, errorFrame, outputBytes } from "./stream.ts";
import { keys, readRequest } from "./wire.ts";

/** Anthropic messages. */
export const anthropic: Protocol = {
  name: "anthropic",
  bases: ["anthropic"],
  path: "/v1/messages",
  keys,
  readRequest,
  passThrough,
  forwardHeaders,
  readReply,
  createReader,
  outputBytes,
  errorFrame,
};
