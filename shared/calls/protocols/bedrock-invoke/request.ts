/** Anthropic's body as Bedrock's clients send it: model and stream stand in the path, version and flags in the body. */

import type { FormBody } from "../../../base/http/form.ts";
import {
  type JsonBody,
  type OutlinedBody,
  type Slices,
  type Splice,
  sliced,
} from "../../../base/json/body.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { readRequest as readMessages } from "../anthropic/fields.ts";
import { messages } from "../anthropic/index.ts";
import type { Address } from "../protocol.ts";

/** Checks a request. Whether it streams stands in the `address`. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody, address?: Address): ChatCall {
  return { ...readMessages(body), stream: address?.stream ?? false };
}

/** Members that are told in another place, or anew. */
const moved = new Set(["model", "stream", "anthropic_version", "anthropic_beta"]);

/** The client's bytes as Anthropic takes them. What the path says stands behind the last member. */
export function passThrough({ bytes, members }: OutlinedBody, call: ChatCall, model: string): Slices {
  const told = `"model":${JSON.stringify(model)}${call.stream ? ',"stream":true' : ""}`;
  const splices = members.flatMap(({ key, key_start, value_end }, at): Splice[] => {
    const next = members[at + 1];
    const isMoved = moved.has(key);
    if (next) return isMoved ? [{ start: key_start, end: next.key_start, text: "" }] : [];
    return [{ start: isMoved ? key_start : value_end, end: value_end, text: isMoved ? told : `,${told}` }];
  });
  return sliced(bytes, splices);
}

/** The version and the flags of the body as headers. The version is that of a client which names none. */
export function forwardHeaders(
  _headers: Record<string, string | undefined>,
  body?: JsonBody | FormBody,
): Record<string, string> {
  const flags = body && "outline" in body ? body.outline.anthropic_beta : undefined;
  return messages.forwardHeaders(Array.isArray(flags) ? { "anthropic-beta": flags.join(",") } : {});
}
