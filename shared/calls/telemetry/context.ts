/** A client's trace context (W3C Trace Context Level 2). A header that breaks the rules is taken for absent. */

import { bounds } from "./bounds.ts";

export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** The span at this place: 16 hexadecimal digits. */
  spanId: string;
  /** Whether the trace is recorded. */
  sampled: boolean;
  /** Whether the last 14 digits of the trace id are random. */
  random: boolean;
  /** `tracestate` as it is passed on; undefined where there is none. */
  state: string | undefined;
}

const sampledFlag = 1;
const randomFlag = 2;

/** A request's valid context, if any. Later versions are read as far as 00 goes; two `traceparent` are invalid. */
export function readContext(headers: Record<string, string | undefined>): TraceContext | undefined {
  const { traceparent } = headers;
  const found =
    traceparent && /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(traceparent);
  if (!found) return undefined;
  const [, version = "", traceId = "", spanId = "", flags = "", rest] = found;
  if (version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const bits = Number.parseInt(flags, 16);
  return {
    traceId,
    spanId,
    sampled: (bits & sampledFlag) !== 0,
    random: (bits & randomFlag) !== 0,
    state: readState(headers.tracestate),
  };
}

/** The headers that tell somebody else the place in the trace. */
export function contextHeaders({
  traceId,
  spanId,
  sampled,
  random,
  state,
}: TraceContext): Record<string, string> {
  const flags = (sampled ? sampledFlag : 0) | (random ? randomFlag : 0);
  return {
    traceparent: `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`,
    ...(state !== undefined && { tracestate: state }),
  };
}

/**
 * The entries of a `tracestate`, trimmed. Undefined where one breaks the grammar, two have one key, or there are more
 * than 32 or too many characters. If too long it loses its longest, then its last entries: the oldest.
 */
function readState(text: string | undefined): string | undefined {
  if (text === undefined || text.length > bounds.stateReadCharsMax) return undefined;
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const keys = new Set(entries.map((entry) => entry.slice(0, entry.indexOf("="))));
  if (entries.length === 0 || entries.length > bounds.stateEntriesMax || keys.size < entries.length)
    return undefined;
  if (!entries.every(isEntry)) return undefined;
  const isLong = entries.join(",").length > bounds.stateCharsMax;
  const kept = isLong ? entries.filter(({ length }) => length <= bounds.stateEntryCharsMax) : entries;
  while (kept.join(",").length > bounds.stateCharsMax) kept.pop();
  return kept.length > 0 ? kept.join(",") : undefined;
}

function isEntry(entry: string): boolean {
  // The value has printable ASCII without comma and equals sign, and does not end with a space.
  return /^[a-z\d][a-z\d_\-*/@]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/.test(entry);
}
