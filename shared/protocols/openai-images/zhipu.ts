/** Image generations as Zhipu's clients ask for them, and as other providers are asked in their place. */
import type { ChatCall } from "../../chat/call.ts";
import type { JsonBody } from "../../json/body.ts";
import { invalidField, isAbsent } from "../../json/fields.ts";
import { readUser } from "../user.ts";
import * as wire from "./wire.ts";

export const keys: ReadonlySet<string> = new Set([...wire.keys, "user_id"]);

/** Checks a request, whose end user is `user_id` or `user`. Throws `invalid_request`. */
export function readRequest(body: JsonBody): ChatCall {
  const call = wire.readRequest(body);
  if (call.stream) throw invalidField("stream", "false: pictures are answered whole on this route");
  return { ...call, user: readUser(body.value, "user_id") ?? call.user };
}

/** Fields that Zhipu alone knows. */
const own: ReadonlySet<string> = new Set([
  "user_id",
  "request_id",
  "sensitive_word_check",
  "watermark_enabled",
]);

/** The request without what Zhipu alone knows; its end user goes under OpenAI's name. */
export function passElsewhere({ value }: JsonBody, call: ChatCall, model: string): Buffer {
  const kept = Object.entries(value).filter(([name]) => !own.has(name));
  const user = call.user === null ? {} : { user: call.user };
  return Buffer.from(JSON.stringify({ ...Object.fromEntries(kept), model, ...user }));
}

/** Names of the fields that are left out. */
export function dropped({ value }: JsonBody): string[] {
  return [...own].filter((name) => name !== "user_id" && !isAbsent(value[name]));
}
