/** Thresholds: what would have to be gone for one to be told twice, never, or though it was not reached. */
import type { Row } from "#test/guards/guard.ts";

export const thresholds: Row[] = [
  {
    id: "thresholds-1",
    test: "shared/edges/jobs/tell-thresholds › of two looks at the same time (the state is new: %s)",
    guard: "set: toItem(kept),\n        when: [hasRevision(revision)],",
    without: "set: toItem(kept),\n        when: [],",
  },
  {
    id: "thresholds-2",
    test: "shared/edges/jobs/tell-sharded-thresholds › is not told of what parts may have moved twice for, and is by the next look",
    guard: "if (moved < 0 || moved > 1) return undefined;",
    without: "",
  },
  {
    id: "thresholds-3",
    test: "shared/people/thresholds/measure › stays where a look did not measure everything",
    guard: "!isWhole || measured.has(name)",
    without: "measured.has(name)",
  },
  {
    id: "thresholds-4",
    test: "shared/edges/jobs/tell-thresholds › that was reached just before its period ended is told for two hours more, and no longer",
    guard: "return [now - thresholdLimits.lateMs, now];",
    without: "return [now];",
  },
  {
    id: "thresholds-5",
    test: "shared/edges/jobs/tell-other-thresholds › a key is told of 7 days and 1 day before its end, if it was made before, and no key of a program is",
    guard: "if (expires_at === null || program) return [];",
    without: "if (expires_at === null) return [];",
  },
  {
    id: "thresholds-6",
    test: "shared/people/thresholds/pace › of a first hour is that of a day",
    guard: "ms: Math.max(ms, thresholdLimits.paceDaysMin * dayMs)",
    without: "ms",
  },
  {
    id: "thresholds-7",
    test: "shared/people/thresholds/measure › of a period that is over stay told, whatever the bound is now",
    guard: "return isOver ? thresholds.length : 0;",
    without: "return 0;",
  },
  {
    id: "thresholds-8",
    test: "shared/books/meters/certain › what is said to be spent is spent, whatever moves while the shards are read",
    guard: "const own = moved === 1 && first < second ? first : second;",
    without: "const own = second;",
  },
];
