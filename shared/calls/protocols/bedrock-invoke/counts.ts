/**
 * The counters of an answer where AWS has them: in headers of a whole answer, and in a stream's last chunk (AWS,
 * "InvokeModel" and "InvokeModelWithResponseStream"). Programs such as LangChain read them there and not in the body.
 */

import { isObject, objectIn } from "../../../base/json/fields.ts";
import type { Usage } from "../../../books/billing/usage.ts";
import { readIterations, readReply, readUsage } from "../anthropic/pass-through/reply.ts";
import { sumUsage } from "../counters.ts";
import { objectAt } from "../switches.ts";
import { countNames } from "./count-names.ts";

/** The headers of a whole answer of Anthropic's; none where it counts nothing. */
export function countHeaders(reply: Buffer): Record<string, string> {
  const { usage } = readReply(reply);
  return usage ? Object.fromEntries(countNames.map(([count, header]) => [header, String(usage[count])])) : {};
}

const member = "amazon-bedrock-invocationMetrics";

/** The events of Anthropic's that tell counters, and the last one. */
const telling = /"message_(?:start|delta|stop)"/;

/**
 * Adds AWS's counters to the last event of a stream. It is given the data of each frame, and gives it back. They are what
 * a program of Anthropic's sees: a later count takes the place of an earlier one, which may be an estimate.
 */
export function createCounting(): (data: string) => string {
  let usage: Usage | undefined;
  let iterations: Usage | undefined;
  return (data) => {
    if (!telling.test(data)) return data;
    const event = objectIn(data) ?? {};
    const told = event.type === "message_start" ? objectAt(event, "message").usage : event.usage;
    usage = readUsage(isObject(told) && !usage ? { output_tokens: 0, ...told } : told, usage) ?? usage;
    iterations = readIterations(told) ?? iterations;
    const end = data.lastIndexOf("}");
    // Bedrock itself, as a provider, has told them.
    if (event.type !== "message_stop" || !usage || event[member] !== undefined) return data;
    const counted = sumUsage(usage, iterations);
    const metrics = Object.fromEntries(countNames.map(([count, , metric]) => [metric, counted[count]]));
    return `${data.slice(0, end)},"${member}":${JSON.stringify(metrics)}${data.slice(end)}`;
  };
}
