/** What calls of the simulated chat models cost, as this simulation counts it. Points are 10⁻¹⁸. */

import { limits } from "#shared/base/limits.ts";
import { tokensGuess } from "#shared/calls/chat/estimate.ts";
import type { Call } from "./calls.ts";
import { inputPrice, outputPrice } from "./catalog.ts";
import { divisorOf } from "./simulated-fee.ts";

/** No request of a simulated client comes to more, by its bytes. */
const requestTokens = 200;
/** What a document is taken for where nobody says what it came to. */
const documentTokens = limits.mediaTokens;
/** A piece of an answer has no fewer bytes of text. */
const wordBytes = 8;

/** What a call is charged at most; an estimate, also of a stream that was stopped, counts a request by its bytes. */
export function mostOf({ script, factor }: Pick<Call, "script" | "factor">): bigint {
  // A stream that its deadline cuts is guessed at by what there was of it, whatever it would have reported.
  const text = tokensGuess(script.pieces * Math.max(script.bytes, wordBytes));
  const input = script.input + requestTokens + (script.document ? documentTokens : 0);
  return costOf({ ...script, input, output: Math.max(script.output, text) }) * factor;
}

/** What a call costs by its report: our fee alone, where the organization's own key has paid for it. */
export function dueOf({ script, factor, key }: Pick<Call, "script" | "factor" | "key">): bigint {
  return (costOf(script) * factor) / divisorOf(key.organization);
}

/** What a script's usage costs at the cheap models. */
function costOf({ input, output }: Pick<Call["script"], "input" | "output">): bigint {
  return BigInt(input) * inputPrice + BigInt(output) * outputPrice;
}
