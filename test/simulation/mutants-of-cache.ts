/** Products whose cache is broken: it knows too little of a call, or lets one in that was refused. */

import { pause } from "#shared/base/platform/pause.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { reply, verdictReply } from "./meanings.ts";
import type { Mutation } from "./mutation.ts";

/** A gateway that does not see this member of a body, though its provider answers by it. */
const blindTo = (change: (body: Record<string, unknown>) => void): Mutation => ({
  request(request) {
    const body = JSON.parse(request.body.toString()) as Record<string, unknown>;
    change(body);
    return { ...request, body: Buffer.from(JSON.stringify(body)) };
  },
});

/** By name, as those of `mutants.ts`. */
export const mutantsOfCache: Record<string, () => Mutation> = {
  "gives one end user the answer of another": () =>
    blindTo((body) => {
      delete body.user;
    }),

  "gives an answer under another system prompt": () =>
    blindTo((body) => {
      if (Array.isArray(body.messages) && body.messages.length > 1) body.messages.shift();
    }),

  "answers a refused call out of the cache": () => {
    const filled = { entries: 0 };
    return {
      ports: ({ meters, cache }, role) =>
        role === "gateway"
          ? {
              cache: {
                ...cache,
                async put(place, entry) {
                  await cache.put(place, entry);
                  filled.entries += 1;
                },
              },
              meters: {
                ...meters,
                async admit(hold) {
                  const admission = await meters.admit(hold);
                  if (admission.admitted || filled.entries === 0) return admission;
                  return { admitted: true, ticket: ticketOf(hold), limitStatus: {} };
                },
              },
            }
          : {},
    };
  },

  "takes the silence of a judge for a yes": () => ({
    models: (send) => async (request) => {
      if (request.url.endsWith("/embeddings")) return await send(request);
      const yes = () => reply(200, verdictReply("same"));
      return await Promise.race([send(request).catch(yes), pause(700).then(yes)]);
    },
  }),

  "takes no call of quota for a hit": () => ({
    ports: ({ queue }, role) =>
      role === "gateway"
        ? {
            queue: {
              send: (event) => queue.send(event.evidence === "cache" ? { ...event, calls: 0 } : event),
            },
          }
        : {},
  }),
};
