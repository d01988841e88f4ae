/** How usage events wait before they are settled. This file imports nothing, so that the operator can read it. */

/** Reports may lag by this and no more than a moment besides (design §6: they lag at most the queue). */
export const usageWindowSeconds = 1;

/**
 * The most events that one invocation of the settling function gets. Those of many organizations share more sums, the
 * more they are. Those of one key and project are four transactions of a hundred actions, five of them sums.
 */
export const usageBatchMax = 380;

/** How many settling functions work at a time where a stage does not say: more contend for the rollups of one customer. */
export const settleConcurrency = 10;

/** How often a usage event is tried before it is a dead letter. */
export const usageTries = 5;

/** How long a message is hidden from others: AWS asks for six times the function's timeout plus the window. */
export function hiddenSeconds(timeoutSeconds: number, windowSeconds: number): number {
  return 6 * timeoutSeconds + windowSeconds;
}
