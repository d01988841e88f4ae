/** Products that are wrong about calls which fail, or which another model answers, or which died. */
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { dear } from "./catalog.ts";
import { mutantsOfOwnKeys } from "./mutants-of-own-keys.ts";
import type { Mutation, Ports } from "./mutation.ts";

const forGateway = (change: (ports: Ports) => Partial<Ports>): Mutation => ({
  ports: (inner, role) => (role === "gateway" ? change(inner) : {}),
});

const cheaper = (points: string) => formatPoints(parsePoints(points) / dear.factor);

/** By name, as those of `mutants.ts`. */
export const mutantsOfFallbacks: Record<string, () => Mutation> = {
  ...mutantsOfOwnKeys,

  "charges what a fallback answered at the price of the first model": () => {
    const changed = (event: UsageEvent): UsageEvent =>
      event.requested_model === undefined
        ? event
        : { ...event, cost_points: cheaper(event.cost_points), list_points: cheaper(event.list_points) };
    return forGateway(({ queue, ledger, meters }) => {
      const dearOnes = new Set<string>();
      const seen = (event: UsageEvent): UsageEvent => {
        if (event.requested_model !== undefined) dearOnes.add(event.id);
        return changed(event);
      };
      return {
        queue: { send: (event) => queue.send(seen(event)) },
        ledger: { ...ledger, record: (events) => ledger.record(events.map(seen)) },
        meters: {
          ...meters,
          settle: (ticket, settlement) =>
            meters.settle(
              ticket,
              dearOnes.has(ticket.hold.request)
                ? {
                    ...settlement,
                    points: settlement.points / dear.factor,
                    listPoints: settlement.listPoints / dear.factor,
                  }
                : settlement,
            ),
        },
      };
    });
  },

  "counts what a fallback answered as the first model's": () => {
    const changed = ({ requested_model, ...event }: UsageEvent): UsageEvent =>
      requested_model === undefined ? event : { ...event, requested_model, model: requested_model };
    return forGateway(({ queue, ledger }) => ({
      queue: { send: (event) => queue.send(changed(event)) },
      ledger: { ...ledger, record: (events) => ledger.record(events.map(changed)) },
    }));
  },

  "forgets why a call failed": () => {
    const changed = ({ error: _, ...event }: UsageEvent): UsageEvent => event;
    return forGateway(({ queue, ledger }) => ({
      queue: { send: (event) => queue.send(changed(event)) },
      ledger: { ...ledger, record: (events) => ledger.record(events.map(changed)) },
    }));
  },

  "forgets the tags of a call that died": () => ({
    ports: ({ ledger }, role) =>
      role === "sweep"
        ? {
            ledger: {
              ...ledger,
              record: (events) => ledger.record(events.map(({ tags: _, ...event }) => event)),
            },
          }
        : {},
  }),

  "holds for the first of its models alone": () => {
    const naming = new Set<string>();
    return {
      request(request) {
        if (request.headers["x-gateway-fallback"] !== undefined) naming.add(request.id);
        return request;
      },
      ports: ({ meters }, role) =>
        role === "gateway"
          ? {
              meters: {
                ...meters,
                async admit(hold) {
                  // Both models are held for the same tokens, unless the first one is held step by step.
                  if (naming.delete(hold.request)) hold.points /= dear.factor;
                  return await meters.admit(hold);
                },
              },
            }
          : {},
    };
  },

  "keeps the intent of the first model when it asks a fallback": () =>
    forGateway(({ meters }) => ({
      meters: {
        ...meters,
        intend: async (intent, attempt) => {
          if (intent.requested_model === undefined) await meters.intend(intent, attempt);
        },
      },
    })),
};
