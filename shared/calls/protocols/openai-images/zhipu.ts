/** Image generations as Zhipu's clients ask for them, and as other providers are asked in their place. */

import type { JsonBody, OutlinedBody, Slices } from "../../../base/json/body.ts";
import { invalidField } from "../../../base/json/fields.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { nameGiven } from "../dropped.ts";
import { withoutMembers } from "../native-tools.ts";
import { readUser } from "../user.ts";
import { fields, readRequest as readGeneration } from "./fields.ts";

export const keys: ReadonlySet<string> = new Set([...fields.acted, "user_id"]);

/** Checks a request, whose end user is `user_id` or `user`. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody): ChatCall {
  const call = readGeneration(body);
  if (call.stream) throw invalidField("stream", "false: pictures are answered whole on this route");
  return { ...call, user: readUser(body.outline, "user_id") ?? call.user };
}

/** Fields that Zhipu alone knows, besides `user_id`. */
const own = ["request_id", "sensitive_word_check", "watermark_enabled"];

/** The request without what Zhipu alone knows; its end user goes under OpenAI's name. */
export function passElsewhere({ value }: JsonBody, call: ChatCall, model: string): Slices {
  const user = call.user === null ? {} : { user: call.user };
  return [Buffer.from(JSON.stringify({ ...withoutMembers(value, ["user_id", ...own]), model, ...user }))];
}

/** Names of the fields that are left out. */
export function dropped({ value }: JsonBody): string[] {
  const names = new Set<string>();
  nameGiven(value, own, "", names);
  return [...names];
}
