/**
 * The counters of an answer where AWS has them: in headers of a whole answer, and in a stream's last chunk (AWS,
 * "InvokeModel" and "InvokeModelWithResponseStream"). Programs such as LangChain read them there and not in the body.
 */

import { readReply } from "../anthropic/pass-through/reply.ts";
import { createReader } from "../anthropic/pass-through/stream.ts";
import { countNames } from "./count-names.ts";

/** The headers of a whole answer of Anthropic's; none where it counts nothing. */
export function countHeaders(reply: Buffer): Record<string, string> {
  const { usage } = readReply(reply);
  return usage ? Object.fromEntries(countNames.map(([count, header]) => [header, String(usage[count])])) : {};
}

const member = "amazon-bedrock-invocationMetrics";

/** Adds AWS's counters to the last event of a stream. It is given each frame, and the frame's data, and gives the data. */
export function createCounting(): (data: string, frame: Buffer) => string {
  const reader = createReader();
  return (data, frame) => {
    reader.read(frame);
    const usage = reader.usage();
    const end = data.lastIndexOf("}");
    // Bedrock itself, as a provider, has told them.
    if (!reader.over() || !usage || end < 0 || data.includes(`"${member}"`)) return data;
    const metrics = Object.fromEntries(countNames.map(([count, , metric]) => [metric, usage[count]]));
    return `${data.slice(0, end)},"${member}":${JSON.stringify(metrics)}${data.slice(end)}`;
  };
}
