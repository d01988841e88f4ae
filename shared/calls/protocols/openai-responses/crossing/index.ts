import type { Crossing } from "../../crossing.ts";
import { asked, fitRequest } from "../fit.ts";
import { createDecoder } from "./decoder.ts";
import { createEncoder } from "./encoder.ts";
import { decodeReply, encodeReply } from "./reply.ts";
import { decodeRequest, encodeRequest, exactMembers } from "./request.ts";

/** OpenAI Responses to and from every other protocol. */
export const openaiResponsesCrossing: Crossing = {
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
