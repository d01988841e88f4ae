/** What the learner of the semantic cache does once, what it gives back, and what it never believes. */
import type { Row } from "#test/guards/guard.ts";

export const learner: Row[] = [
  {
    id: "learner-1",
    test: "shared/edges/store/cache-semantic › counts an audited call once, however often and whatever it is told",
    guard: '...toItem(mark) }, [absent("pk")]),',
    without: "...toItem(mark) }, []),",
  },
  {
    id: "learner-2",
    test: "shared/edges/store/cache-semantic › are put over the one that was read, so of two writers one tries again",
    guard: "(await putItem(aws, table, item, [when])).done",
    without: "(await putItem(aws, table, item, [])).done",
  },
  {
    id: "learner-3",
    test: "shared/edges/store/cache-semantic › begins anew where its context is switched off, which happens once until that is over",
    guard: 'when: [absentOrAtMost("off_until", BigInt(now))],',
    without: "when: [],",
  },
  {
    id: "learner-4",
    test: "shared/edges/jobs/learn-audits › to which the verifier says %j removes the entry, and the context is off for a day",
    guard: "const removed = await deps.cache.remove({ scope: place.scope, name: entry.name }, entry.origin);",
    without: "const removed = true;",
  },
  {
    id: "learner-5",
    test: "shared/edges/jobs/learn-audits › of a verifier that says %j of nonsense too is refuted",
    guard: 'return verdictOf(control) === "different" ? "agreed" : "refuted";',
    without: 'return "agreed";',
  },
  {
    id: "learner-6",
    test: "shared/edges/jobs/learn › that waits for %s comes again, and is dropped at its last try",
    guard: "given.filter(({ message }) => message.tries >= limits.lessonTriesMax);",
    without: "given;",
  },
  {
    id: "learner-7",
    test: "shared/edges/jobs/learn › is noted beside what another learner has written meanwhile",
    guard: "version: stored?.version ?? 0, until })) return true;",
    without: "version: stored?.version ?? 0, until }) || true) return true;",
  },
  {
    id: "learner-8",
    test: "shared/edges/api/cache-month › a key of a project sees the sums of its project, and any other those of the organization",
    guard: 'const project = key.project === "" ? undefined : key.project;',
    without: "const project = undefined;",
    in: "shared/edges/api/cache-month.ts",
  },
  {
    id: "learner-9",
    test: "shared/edges/store/cache-semantic › that others always write meanwhile is load: the audit is told again, and is no failure",
    guard: 'throw isContention(error) ? new ThrottledError("TransactionCanceledException", 400, {}) : error;',
    without: "throw error;",
    in: "shared/edges/store/cache-semantic.ts",
  },
  {
    id: "learner-10",
    test: "shared/edges/store/cache-semantic › that comes late to a context that is off does not switch it off again when it begins anew",
    guard: "const late = { remove: [...counted], ",
    without: 'const late = { remove: ["nothing"], ',
  },
];
