/** The changes every OpenAI-shaped body gets on its way to a provider that speaks it. */

import { type OutlinedBody, type Slices, type Splice, sliced } from "../../base/json/body.ts";
import type { ChatCall } from "../../books/billing/call.ts";

/** Replaces the value of `model`. The body has one: it was decoded. */
export function modelSplice(body: OutlinedBody, model: string): Splice {
  return memberSplice(body, "model", JSON.stringify(model));
}

/** Replaces a member's value, or adds the member in front of `model` where there is none. */
export function memberSplice(body: OutlinedBody, key: string, text: string): Splice {
  const member = body.members.find((each) => each.key === key);
  if (member) return { start: member.value_start, end: member.value_end, text };
  const model = body.members.find((each) => each.key === "model");
  if (!model) throw new TypeError("a body without a model");
  return { start: model.key_start, end: model.key_start, text: `${JSON.stringify(key)}:${text},` };
}

/** Takes a member out with its comma, if it is there. The body has another one, its model. */
export function withoutMember({ members }: OutlinedBody, key: string): Splice[] {
  const at = members.findIndex((each) => each.key === key);
  const [member, before, behind] = [members[at], members[at - 1], members[at + 1]];
  if (!member) return [];
  if (behind) return [{ start: member.key_start, end: behind.key_start, text: "" }];
  return [{ start: before?.value_end ?? member.key_start, end: member.value_end, text: "" }];
}

/** The client's bytes with only `model` changed: all that most protocols need to be passed through. */
export function passModel(body: OutlinedBody, _call: ChatCall, model: string): Slices {
  return sliced(body.bytes, [modelSplice(body, model)]);
}
