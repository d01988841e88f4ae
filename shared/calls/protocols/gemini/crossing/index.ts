import type { Crossing } from "../../crossing.ts";
import { asked, fitRequest } from "../fit.ts";
import { exactMembers } from "../names.ts";
import { createDecoder } from "./decoder.ts";
import { createEncoder } from "./encoder.ts";
import { decodeReply, encodeReply } from "./reply.ts";
import { decodeRequest, encodeRequest } from "./request.ts";

export const geminiCrossing: Crossing = {
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
