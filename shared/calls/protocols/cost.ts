/** Writes an answer's cost beside its counters, for clients that ask for it. All other bytes stay. */
import { setMembers } from "../../base/json/body.ts";
import { frameData, withData } from "../../base/sse/frames.ts";
import type { Protocol } from "./protocol.ts";

/** A whole reply with its cost, a decimal string of points; unchanged where it has no usage. */
export function costInReply(
  { usage_at }: Pick<Protocol, "usage_at">,
  reply: Buffer,
  cost_points: string,
): Buffer {
  return (usage_at && told(reply, usage_at.whole, membersOf(usage_at, cost_points))) ?? reply;
}

/** The last frames of a stream with its cost, a decimal string of points, in the last frame that has a usage. */
export function costInFrames(
  { usage_at }: Pick<Protocol, "usage_at">,
  frames: Buffer[],
  cost_points: string,
): Buffer[] {
  if (!usage_at) return frames;
  for (const [at, frame] of [...frames.entries()].reverse()) {
    const data = Buffer.from(frameData(frame));
    const changed = told(data, usage_at.streamed, membersOf(usage_at, cost_points));
    if (changed) return frames.with(at, withData(frame, changed.toString("utf8")));
  }
  return frames;
}

/** The JSON with these members in the object at the end of a path. Undefined where there is no object, or no JSON. */
function told(json: Buffer, path: readonly string[], members: Record<string, string>): Buffer | undefined {
  try {
    return setMembers(json, path, members);
  } catch {
    // It is nested too deep to read. An answer never fails for its cost.
    return undefined;
  }
}

/** The cost with every digit that is booked. A decimal string of points is also a JSON number. */
function membersOf(
  { number }: NonNullable<Protocol["usage_at"]>,
  cost_points: string,
): Record<string, string> {
  return { ...(number && { cost: cost_points }), cost_points: JSON.stringify(cost_points) };
}
