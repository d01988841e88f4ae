/** The fields of `embedContent`, and of its batches. A content is checked by the kind of its call. */

import type { OutlinedBody } from "../../../base/json/body.ts";
import { type Fields, invalidField, isObject, requiredArray } from "../../../base/json/fields.ts";
import { type ChatCall, plainCall } from "../../../books/billing/call.ts";
import { fieldTable } from "../field-table.ts";
import { checkContent, refuseRepeated } from "../gemini/fields.ts";
import { camelKeys } from "../gemini/names.ts";

/** Of a call and of each input in it, in the camel-case spelling. */
export const fields = fieldTable({
  model: { acts: true, carried: true },
  content: { acts: true, carried: true },
  requests: { acts: true, carried: true },
  outputDimensionality: { acts: true, carried: true },
  embedContentConfig: { acts: true, carried: true },
});

/** The inputs of a checked body, each with its options, which may stand in its `embedContentConfig`, in camel case. */
export function inputsOf(body: Fields, batch: boolean): Fields[] {
  return (batch ? (body.requests as Fields[]) : [body]).map((request) => {
    const { embedContentConfig: config, ...input } = camelKeys(request);
    return isObject(config) ? { ...input, ...camelKeys(config) } : input;
  });
}

/** Checks a request. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody, batch: boolean): ChatCall {
  refuseRepeated(body, fields.acted);
  const requests = batch ? requiredArray(body.outline, "requests") : [];
  for (const [index, request] of requests.entries()) {
    if (!isObject(request)) throw invalidField(`requests[${index}]`, "an object");
    checkContent(request.content, `requests[${index}].content`);
  }
  if (!batch) checkContent(body.outline.content, "content");
  return { ...plainCall, inputs: batch ? requests.length : 1 };
}
