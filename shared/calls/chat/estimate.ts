/**
 * How many tokens a request can have (billing.md §2.3). A byte-level tokenizer never makes more tokens than bytes, so
 * the bytes of the text are a true bound, and calls are held for them. A third of the bytes is the guess for windows,
 * and for calls whose provider reported nothing. What cannot be measured counts at its most.
 */
import { limits } from "../../base/limits.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import type { InputSize } from "./measure.ts";

const bytesPerToken = 3;

/** What a model takes, in tokens. */
export interface InputRoom {
  /** One input. */
  context_tokens: number;
  /** A whole call: one context, or any number of tokens for embeddings, which have many inputs. */
  call_tokens: number;
  /** The most that one picture can be. */
  picture_tokens: number;
  /** The most that one document, sound or clip can be. */
  file_tokens: number;
}

/** The upper bound of input tokens. Input that the gateway does not see may fill all that the model takes. */
export function inputTokensMax(size: InputSize, room: InputRoom, call?: ChatCall): number {
  const isUnseen = call?.unseen_input || size.stored || size.provider_tools;
  return Math.min(
    room.call_tokens,
    size.text_bytes +
      limits.overheadTokens +
      size.pictures * room.picture_tokens +
      size.files * room.file_tokens +
      (isUnseen ? room.context_tokens : 0),
  );
}

/** The likely input tokens. */
export function inputTokensGuess(size: InputSize, callTokens: number): number {
  const media = (size.pictures + size.files) * limits.mediaTokens;
  return Math.min(callTokens, tokensGuess(size.text_bytes) + media);
}

/**
 * What a subscription's windows reserve for the input: the likely tokens of text and pictures, and the most tokens of
 * files. All media together reserve at most `mediaMost` tokens. If they turn out to have more, the window is in debt.
 */
export function inputTokensReserved(size: InputSize, room: InputRoom, mediaMost: number): number {
  const media = size.pictures * limits.mediaTokens + size.files * room.file_tokens;
  return Math.min(room.call_tokens, tokensGuess(size.text_bytes) + Math.min(media, mediaMost));
}

/** The likely tokens of so many bytes of text. */
export function tokensGuess(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/**
 * The most output tokens of a call: the client's maximum or the model's, for each choice. `reasonsBeyond`: at this
 * provider a maximum of the answer does not bound the reasoning.
 */
export function outputTokensMax(call: ChatCall, modelMax: number, reasonsBeyond = false): number {
  const isUnbounded = call.answer_only && !call.thoughtless && reasonsBeyond;
  const maximum = isUnbounded ? null : call.max_output_tokens;
  return Math.min(maximum ?? modelMax, modelMax) * call.choices;
}

/** What a window reserves for the answer: the client's maximum, or a usual length when it names none. */
export function outputTokensGuess(call: ChatCall, modelMax: number): number {
  return Math.min(call.max_output_tokens ?? limits.defaultOutputTokens, modelMax) * call.choices;
}
