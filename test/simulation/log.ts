/** The log of a process, which says of a call what its books must know. */
import type { Log } from "#shared/base/platform/log.ts";
import type { Call } from "./calls.ts";
import type { Run, Scheduler } from "./scheduler.ts";

/** What the log says of a call whose hold is left to the sweep. */
const doubts = new Set(["settle_gap", "settle_failed", "extension_failed", "stream_stopped"]);

export function createLog(run: Run, calls: ReadonlyMap<string, Call>, scheduler: Scheduler): Log {
  return (_, event, fields = {}) => {
    const call = calls.get(fields.request ?? "");
    if (call && event === "settle_gap") call.gap = true;
    if (call && doubts.has(event)) call.doubtful = true;
    scheduler.note(run, `log ${event} ${JSON.stringify(fields)}`);
  };
}
