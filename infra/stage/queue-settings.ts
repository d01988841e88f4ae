/** How usage events wait before they are settled. This file imports nothing, so that the operator can read it. */

/** Reports may lag by this and no more than a moment besides (design §6: they lag at most the queue). */
export const usageWindowSeconds = 1;

/** The most events that one invocation of the settling function gets. */
export const usageBatchMax = 100;
