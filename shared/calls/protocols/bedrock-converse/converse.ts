import type { ProviderCrossing } from "../crossing.ts";
import type { AnswerSide } from "../protocol.ts";
import { createDecoder } from "./crossing/decoder.ts";
import { decodeReply, exactMembers } from "./crossing/reply.ts";
import { encodeRequest } from "./crossing/request.ts";
import { fitRequest } from "./fit.ts";
import { readReply } from "./reply.ts";
import { createReader, outputBytes } from "./stream.ts";

export const converseCrossing: ProviderCrossing = {
  exact: exactMembers,
  encodeRequest,
  fitRequest,
  decodeReply,
  createDecoder,
};

/** The binary frames of its streams come here as server-sent events, each named as its event is. */
export const converseAnswers = { readReply, stream: { createReader, outputBytes } } satisfies AnswerSide;
