import type { Switch } from "./pricing/rates.ts";

/** What admission and metering need to know of a call, in any protocol. */
export interface ChatCall {
  stream: boolean;
  /** The client's own maximum, or null. */
  max_output_tokens: number | null;
  /** Ark reads that maximum as a bound of the answer without its reasoning, which may exceed it (protocols.md §4). */
  answer_only?: boolean;
  /**
   * The client turned reasoning off, so a maximum of the answer alone bounds the whole output. A body that is made to
   * fit may reason all the same, because some models always reason.
   */
  thoughtless?: boolean;
  /** Answers asked for (`n`). */
  choices: number;
  user: string | null;
  /**
   * The client said `include_usage: false`. The gateway still asks the provider for the usage, and does not pass it
   * on.
   */
  hide_usage: boolean;
  /** The client reads a stream as one JSON array (Gemini without `alt=sse`). */
  json_array?: boolean;
  /** The provider reads more than the body: an earlier response, a stored prompt, a cached content. */
  unseen_input?: boolean;
  /** Pictures asked for, on image calls. */
  images?: number;
  /** Inputs of a call for embeddings, each of which gets a vector. */
  inputs?: number;
  /** The client wants vectors as base64, though we ask the provider for numbers. */
  base64?: boolean;
  /** What the request switches on that may change its provider's price. */
  switches?: Switch[];
}

/** A call that is answered whole and asks for no text. Calls for vectors and pictures are made of it. */
export const plainCall: ChatCall = {
  stream: false,
  max_output_tokens: null,
  choices: 1,
  user: null,
  hide_usage: false,
};
