/** Idempotency keys in memory, for tests of the pipeline; `replays.test.ts` holds both stores to one suite. */

import { limits } from "#shared/base/limits.ts";
import { timeOf } from "#shared/base/platform/id.ts";
import type { ReplayRecord, Replays } from "#shared/calls/access/replays.ts";

/** An empty store. */
export function createMemoryReplays(): Replays {
  const records = new Map<string, ReplayRecord>();
  const answers = new Map<string, Buffer>();
  const free = ({ request, state }: ReplayRecord, now: number) =>
    state === "released" || timeOf(request) + limits.idempotencySeconds * 1000 < now;

  return {
    async claim(scope, record, now, instead) {
      const known = records.get(scope);
      const taken = known && (instead === undefined ? !free(known, now) : known.request !== instead);
      if (taken && known.request !== record.request) return known;
      if (!taken) records.set(scope, record);
      return undefined;
    },
    async conclude(scope, record) {
      if (records.get(scope)?.request === record.request) records.set(scope, record);
    },
    holder: async (scope) => records.get(scope)?.request,
    keep: async (request, answer) => void answers.set(request, answer),
    answer: async (request) => answers.get(request),
  };
}
