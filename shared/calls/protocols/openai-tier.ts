import type { Fields } from "../../base/json/fields.ts";
import type { ReplyUsage } from "../chat/reply.ts";

/** The member of OpenAI's answers that says which service tier was taken. It calls the standard one `default`. */
export function tierOf(usage: ReplyUsage | undefined): Fields {
  const tier = usage?.ways?.service_tier;
  return tier === undefined ? {} : { service_tier: tier === "standard" ? "default" : tier };
}
