/** Gemini's `countTokens`: of contents, or of a whole generate request (protocols.md §3.1). */

import type { OutlinedBody, Slices } from "../../../base/json/body.ts";
import { invalidField, isAbsent, isObject, requiredItems } from "../../../base/json/fields.ts";
import { type ChatCall, plainCall } from "../../../books/billing/call.ts";
import { countReader } from "../count.ts";
import type { CountProtocol } from "../protocol.ts";
import { checkContent, refuseRepeated } from "./fields.ts";
import { contents } from "./index.ts";
import { camelKeys } from "./names.ts";
import { withName } from "./pass-through/request.ts";
import { modelAddress, upstreamPath } from "./path.ts";

const wholeKeys: ReadonlySet<string> = new Set(["generateContentRequest", "generate_content_request"]);
const keys: ReadonlySet<string> = new Set(["model", "contents", "generateContentRequest"]);

export const geminiCount: CountProtocol = {
  ...contents,
  name: "gemini-count",
  upstreamPath: (model) => upstreamPath(model, "countTokens", false),
  keys,
  address: modelAddress,
  readRequest,
  passThrough,
  readReply: countReader("totalTokens"),
  countReply: (tokens) => ({ totalTokens: tokens }),
};

function readRequest(body: OutlinedBody): ChatCall {
  refuseRepeated(body, keys);
  const fields = camelKeys(body.outline);
  const whole = fields.generateContentRequest;
  if (!isAbsent(whole) && !isObject(whole)) throw invalidField("generateContentRequest", "an object");
  requiredItems(whole ? camelKeys(whole) : fields, "contents", checkContent);
  return plainCall;
}

/** The client's bytes, with the provider's name for the model wherever they name it. */
function passThrough(body: OutlinedBody, _call: ChatCall, model: string): Slices {
  return withName(body, model, (key, name) => {
    const value = body.outline[key];
    return wholeKeys.has(key) && isObject(value) ? { ...value, model: name } : undefined;
  });
}
