/** Products that let the loser of a race have a part in the books. */

import { newId } from "#shared/base/platform/id.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { houseCosts } from "./catalog.ts";
import type { Mutation, Ports } from "./mutation.ts";

const isRaced = ({ route }: UsageEvent): boolean =>
  route?.attempts.some(({ outcome }) => outcome === "lost") === true;

/** A gateway that says something else of calls that were raced. */
const forEvents = (change: (event: UsageEvent) => UsageEvent[]): Mutation => ({
  ports: ({ queue, ledger }, role): Partial<Ports> =>
    role === "gateway"
      ? {
          queue: {
            async send(event) {
              for (const each of isRaced(event) ? change(event) : [event]) await queue.send(each);
            },
          },
          ledger: {
            ...ledger,
            record: (events) =>
              ledger.record(events.flatMap((event) => (isRaced(event) ? change(event) : [event]))),
          },
        }
      : {},
});

const twice = (points: string): string => formatPoints(2n * parsePoints(points));

/** The rates of two channels of one model, the one for the other. */
const swapped = (house: string): string => {
  const [one, other] = ["upstream-model", "spare-model"].map((model) =>
    Object.values(houseCosts[model] ?? {}),
  );
  const rates = [one?.join("/") ?? "", other?.join("/") ?? ""];
  const [id, own = "", ...rest] = house.split(" ");
  return [id, rates.includes(own) ? rates.find((each) => each !== own) : own, ...rest].join(" ");
};

/** By name, as those of `mutants.ts`. */
export const mutantsOfRaces: Record<string, () => Mutation> = {
  "books the cost of the channel that lost a race": () =>
    forEvents((event) => [{ ...event, ...(event.house !== undefined && { house: swapped(event.house) }) }]),

  "bills both attempts of a race": () =>
    forEvents((event) => [
      {
        ...event,
        usage: {
          ...event.usage,
          input_tokens: 2 * event.usage.input_tokens,
          output_tokens: 2 * event.usage.output_tokens,
        },
        cost_points: twice(event.cost_points),
        list_points: twice(event.list_points),
      },
    ]),

  "books the loser of a race as a call": () =>
    forEvents((event) => [event, { ...event, id: newId("request", event.admitted_at) }]),

  "settles the hold by the loser of a race": () => {
    const raced = new Set<string>();
    return {
      ports: ({ queue, meters }, role) =>
        role === "gateway"
          ? {
              queue: {
                async send(event) {
                  if (isRaced(event)) raced.add(event.id);
                  await queue.send(event);
                },
              },
              meters: {
                ...meters,
                settle: (ticket, settlement) =>
                  meters.settle(
                    ticket,
                    raced.has(ticket.hold.request)
                      ? { ...settlement, points: 0n, listPoints: 0n, tokens: 0, giveBack: true }
                      : settlement,
                  ),
              },
            }
          : {},
    };
  },
};
