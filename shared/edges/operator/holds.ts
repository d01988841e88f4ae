/** Calls and tasks in flight, or left behind, for an operator: every hold of every meter, the oldest first. */

import { timeOf } from "../../base/platform/id.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { MeterList, Meters } from "../../books/meters/meter.ts";

interface HoldLine {
  request: string;
  age_seconds: number;
  /** The sweeper has taken over a seized hold, so its gateway can no longer settle it. A task holds until its end. */
  state: "open" | "seized" | "task";
  /** From the call's intent; null where there is none, which means that nothing was ever sent. */
  organization: string | null;
  key: string | null;
  model: string | null;
  points: string;
  tokens: number;
  meter: string;
  shard: number;
}

/** The holds that are at least this many seconds old. */
export async function listHolds(
  olderThanSeconds: number,
  deps: {
    meters: Pick<Meters, "intent"> & MeterList<"meter" | "shard" | "holds" | "seized" | "tasks">;
    now: () => number;
  },
): Promise<HoldLine[]> {
  const lines: HoldLine[] = [];
  for await (const { meter, shard, holds, seized, tasks } of deps.meters.everyMeter()) {
    for (const [state, held] of [
      ["open", holds],
      ["seized", seized],
      ["task", tasks],
    ] as const) {
      for (const [request, { points, tokens }] of held) {
        const age_seconds = Math.floor((deps.now() - timeOf(request)) / 1000);
        if (age_seconds < olderThanSeconds) continue;
        const intent = await deps.meters.intent(request);
        lines.push({
          request,
          age_seconds,
          state,
          organization: intent?.organization ?? null,
          key: intent?.key ?? null,
          model: intent?.model ?? null,
          points: formatPoints(points),
          tokens,
          meter,
          shard,
        });
      }
    }
  }
  return lines.sort((a, b) => timeOf(a.request) - timeOf(b.request));
}
