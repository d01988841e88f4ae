/** How requests and answers of Converse are read and passed through. Loaded with the first call (`index.ts`). */
import { createStopper } from "./early-end.ts";
import { fields, readRequest } from "./fields.ts";
import { passThrough } from "./pass-through.ts";
import { readReply } from "./reply.ts";
import { createReader, outputBytes } from "./stream.ts";
import { untag } from "./untag.ts";

export const converseParts = {
  keys: fields.acted,
  readRequest,
  passThrough,
  untag,
  readReply,
  createReader,
  createStopper,
  outputBytes,
};

export type ConverseParts = typeof converseParts;
