/** Products that are wrong about calls and videos that an organization's own key has paid. */
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Mutation } from "./mutation.ts";
import { feeDivisor } from "./simulated-fee.ts";

const atListPrice = (points: string) => formatPoints(parsePoints(points) * feeDivisor);

/** By name, as those of `mutants.ts`. */
export const mutantsOfOwnKeys: Record<string, () => Mutation> = {
  "charges list price for what an own key has paid": () => {
    const changed = ({ own_fee, ...event }: UsageEvent): UsageEvent =>
      own_fee === undefined
        ? event
        : {
            ...event,
            cost_points: atListPrice(event.cost_points),
            list_points: atListPrice(event.list_points),
          };
    const owned = new Set<string>();
    const seen = (event: UsageEvent): UsageEvent => {
      if (event.own_fee) owned.add(event.id);
      return changed(event);
    };
    return {
      ports: ({ queue, ledger, meters }, role) =>
        role !== "gateway"
          ? {}
          : {
              queue: { send: (event) => queue.send(seen(event)) },
              ledger: { ...ledger, record: (events) => ledger.record(events.map(seen)) },
              meters: {
                ...meters,
                settle: (ticket, settlement) => {
                  const times = owned.has(ticket.hold.request) ? feeDivisor : 1n;
                  const { points, listPoints } = settlement;
                  return meters.settle(ticket, {
                    ...settlement,
                    points: points * times,
                    listPoints: listPoints * times,
                  });
                },
              },
            },
    };
  },

  "forgets that an own key has paid": () => {
    const changed = ({ own_fee: _, ...event }: UsageEvent): UsageEvent => event;
    return {
      ports: ({ queue, ledger }, role) =>
        role !== "gateway"
          ? {}
          : {
              queue: { send: (event) => queue.send(changed(event)) },
              ledger: { ...ledger, record: (events) => ledger.record(events.map(changed)) },
            },
    };
  },

  "makes a video with a key of ours where an own key serves alone": () => ({
    ports: ({ tasks }) => ({
      tasks: {
        ...tasks,
        create: ({ own, providers, ...task }, request) =>
          tasks.create(own ? task : { ...task, ...(providers && { providers }) }, request),
      },
    }),
  }),

  "forgets which key has made a video": () => ({
    ports: ({ tasks }) => ({
      tasks: {
        ...tasks,
        change(task, { upstream, ...change }) {
          if (!upstream) return tasks.change(task, { ...change, ...(upstream === null && { upstream }) });
          const { own_key: _, ...unowned } = upstream;
          return tasks.change(task, { ...change, upstream: unowned });
        },
      },
    }),
  }),
};
