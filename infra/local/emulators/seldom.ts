/** Functions that are seldom invoked, by schedules, workflows and lessons: their thread lives while it is needed. */

import type { EventSource, FunctionResource } from "../stack/resources.ts";
import { queueUrlOf } from "../stack/template.ts";
import type { LocalFunction } from "./lambda.ts";

/** Whether neither calls nor their usage events keep a function busy. */
export function isSeldom(
  { name, hasUrl }: Pick<FunctionResource, "name" | "hasUrl">,
  eventSources: readonly Pick<EventSource, "functionName" | "queueName">[],
  usageQueueUrl: string,
): boolean {
  const settles = eventSources.some(
    ({ functionName, queueName }) => functionName === name && queueUrlOf(queueName) === usageQueueUrl,
  );
  return !hasUrl && !settles;
}

/** How long a thread stays without an invocation, milliseconds. A video task is looked at once a minute at least. */
const restMs = 90_000;

/** For a thread that stays from its first invocation on: the longest time that a timer of Node can have. */
export const alwaysMs = 2 ** 31 - 1;

/** The longest that a function may run, milliseconds. */
const longestMs = 900_000;

/** A function whose thread starts with an invocation, and ends `idleMs` after the last. A failed start is tried again. */
export function startWhenInvoked(start: () => Promise<LocalFunction>, idleMs = restMs): LocalFunction {
  let current: Promise<LocalFunction> | undefined;
  let running = 0;
  let idle: NodeJS.Timeout | undefined;

  const stop = async (graceMs: number): Promise<void> => {
    clearTimeout(idle);
    const stopped = current;
    current = undefined;
    const local = await stopped?.catch(() => undefined);
    await local?.stop(graceMs);
  };
  const started = async (): Promise<LocalFunction> => {
    current ??= start();
    const starting = current;
    try {
      return await starting;
    } catch (error) {
      if (current === starting) current = undefined;
      throw error;
    }
  };
  return {
    async invoke(event) {
      clearTimeout(idle);
      running++;
      try {
        return await (await started()).invoke(event);
      } finally {
        if (--running === 0) idle = setTimeout(() => void stop(0), idleMs).unref();
      }
    },
    listen: async (port) => (await started()).listen(port),
    // The next invocation starts a thread, which has what is there then.
    async renew() {
      void stop(longestMs);
    },
    stop,
  };
}
