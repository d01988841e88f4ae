/** How a channel does, in words. */
import type { OperatedChannel } from "../../../api-types.ts";
import { minute, took } from "../../../format.ts";
import { Badge } from "../../../parts/badge.tsx";

type Words = typeof import("./en.ts").words;

const bad = ["open", "no_key", "flaky"];

/** The state of a channel, and until when it is so. */
export function Health({ words, of: { state, until } }: { words: Words; of: OperatedChannel }) {
  const look = state === "good" ? "good" : bad.includes(state) ? "bad" : "warn";
  return (
    <>
      <Badge look={look}>{words.health[state] ?? state}</Badge>
      {until && <div class="faint">{words.until(minute(until))}</div>}
    </>
  );
}

/** A time in milliseconds; a dash where none was measured. */
export const tookOr = (ms: number | null) => (ms === null ? "–" : took(ms));
