/** The way from a client or to a provider of Converse, loaded with the first call that crosses. */
import type { Crossing } from "../crossing.ts";
import { asked } from "./asked.ts";
import { createDecoder } from "./crossing/decoder.ts";
import { createEncoder } from "./crossing/encoder.ts";
import { decodeReply, exactMembers } from "./crossing/reply.ts";
import { encodeReply } from "./crossing/reply-out.ts";
import { encodeRequest } from "./crossing/request.ts";
import { decodeRequest } from "./crossing/request-in.ts";
import { fitRequest } from "./fit.ts";

export const converseCrossing: Crossing = {
  exact: exactMembers,
  decodeRequest,
  encodeRequest,
  asked,
  fitRequest,
  decodeReply,
  encodeReply,
  createDecoder,
  createEncoder,
};
