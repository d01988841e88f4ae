/**
 * Products that are broken in one place (billing.md §7), each made of wrappers around the ports. The
 * simulation has to find every one of them: what it cannot see broken it does not prove whole.
 */

import { TransportError } from "#shared/base/platform/http-client.ts";
import { bareId } from "#shared/base/platform/id.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { tokensOf } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { type Settlement, type Ticket, ticketOf } from "#shared/books/meters/hold.ts";
import { pricePartition } from "#shared/edges/store/dynamodb/item-keys.ts";
import { mutantsOfBudgets } from "./mutants-of-budgets.ts";
import { mutantsOfCache } from "./mutants-of-cache.ts";
import { mutantsOfDays } from "./mutants-of-days.ts";
import { mutantsOfFallbacks } from "./mutants-of-fallbacks.ts";
import { mutantsOfJoinedAdmissions } from "./mutants-of-joined-admissions.ts";
import { mutantsOfJoining } from "./mutants-of-joining.ts";
import { mutantsOfKeys } from "./mutants-of-keys.ts";
import { mutantsOfParts } from "./mutants-of-parts.ts";
import { mutantsOfPeppers } from "./mutants-of-peppers.ts";
import { mutantsOfRaces } from "./mutants-of-races.ts";
import { mutantsOfSpread } from "./mutants-of-spread.ts";
import { mutantsOfState } from "./mutants-of-state.ts";
import type { Mutation, Ports, Role } from "./mutation.ts";
import { changing, partitionOf, type Write } from "./rewriting.ts";

/** Makes the mutation of one world. */
type Mutant = () => Mutation;

const only =
  (wanted: Role) =>
  (change: (ports: Ports) => Partial<Ports>): Mutation => ({
    ports: (inner, role) => (role === wanted ? change(inner) : {}),
  });
const [forGateway, forSweep] = [only("gateway"), only("sweep")];

const settlementOf = (event: UsageEvent): Settlement => ({
  points: parsePoints(event.cost_points),
  listPoints: parsePoints(event.list_points),
  tokens: event.calls === 0 ? 0 : tokensOf(event.usage),
  giveBack: event.calls === 0,
  at: event.ended_at,
});

/**
 * The ten that the design was simulated with, some more, and two that undo what the simulation has taught the product.
 */
export const mutants: Record<string, Mutant> = {
  "settles before the queue has the event": () => {
    const tickets = new Map<string, Ticket>();
    return forGateway(({ meters, queue }) => ({
      meters: {
        ...meters,
        async admit(hold) {
          const admission = await meters.admit(hold);
          if (admission.admitted) tickets.set(hold.request, admission.ticket);
          return admission;
        },
        async extend(ticket, points) {
          const extension = await meters.extend(ticket, points);
          if (extension.extended) tickets.set(ticket.hold.request, extension.ticket);
          return extension;
        },
      },
      queue: {
        async send(event) {
          const ticket = tickets.get(event.id);
          if (ticket) await meters.settle(ticket, settlementOf(event));
          await queue.send(event);
        },
      },
    }));
  },

  "asks nothing for an answer without output": () => {
    const forgiven = (event: UsageEvent): UsageEvent =>
      event.outcome === "completed" && event.usage.output_tokens === 0
        ? { ...event, cost_points: "0", list_points: "0", calls: 0 }
        : event;
    return forGateway(({ queue, ledger }) => ({
      queue: { send: (event) => queue.send(forgiven(event)) },
      ledger: { ...ledger, record: (events) => ledger.record(events.map(forgiven)) },
    }));
  },

  "releases the last chunk before the event is durable": () => {
    const sent = new Map<string, Promise<void>>();
    return forGateway(({ meters, queue, ledger }) => ({
      queue: {
        async send(event) {
          const durable = queue.send(event).catch(async () => void (await ledger.record([event])));
          sent.set(event.id, durable);
          durable.catch(() => {});
        },
      },
      meters: {
        ...meters,
        async settle(ticket, settlement) {
          await sent.get(ticket.hold.request);
          return await meters.settle(ticket, settlement);
        },
      },
    }));
  },

  "admits again when an admission is repeated": () => ({
    transport: (inner, role) => (role === "gateway" ? changing(inner, "UpdateItem", repeatable) : inner),
  }),

  "writes entries and rollups one after the other": () => ({
    transport: (inner) => async (service, action, body) => {
      const input = JSON.parse(body) as { TransactItems?: { Put?: Write; Update?: Write }[] };
      const items = input.TransactItems ?? [];
      const entries = items.filter(({ Put }) => partitionOf(Put ?? {}).startsWith("L#"));
      const rollups = items.filter(({ Update }) => partitionOf(Update ?? {}).startsWith("R#"));
      if (entries.length === 0 || entries.length + rollups.length < items.length)
        return await inner(service, action, body);
      const answer = await inner(service, action, JSON.stringify({ TransactItems: entries }));
      await inner(service, action, JSON.stringify({ TransactItems: rollups }));
      return answer;
    },
  }),

  "settles what died without seizing it": () =>
    forSweep(({ meters }) => ({
      meters: {
        ...meters,
        async seize(meter, shard, request) {
          const held = (await meters.readMeter(meter, shard))?.holds.get(request);
          return held?.period === "" ? held : await meters.seize(meter, shard, request);
        },
        async settleSeized(meter, shard, request, held, settlement) {
          if (held.period !== "") return await meters.settleSeized(meter, shard, request, held, settlement);
          const { points, tokens } = held;
          const hold = {
            request,
            key: "",
            mode: "payg",
            meter,
            shard,
            at: 0,
            points,
            tokens,
            planLimits: null,
          } as const;
          return await meters.settle(ticketOf(hold), settlement);
        },
      },
    })),

  "writes the intent after the call was sent": () => {
    const later = new Map<string, () => Promise<void>>();
    return forGateway(({ meters, queue }) => ({
      meters: {
        ...meters,
        async intend(intent, attempt) {
          later.set(intent.request, () => meters.intend(intent, attempt));
        },
      },
      queue: {
        async send(event) {
          await later.get(event.id)?.();
          await queue.send(event);
        },
      },
    }));
  },

  "tells events apart by their message": () => {
    const first = new Map<string, string>();
    const others = new Map<string, string>();
    return {
      messages(batch) {
        for (const { id, body } of batch) {
          const request = (JSON.parse(body) as UsageEvent).id;
          if (!first.has(request)) first.set(request, id);
          if (first.get(request) !== id) others.set(request, id);
        }
        return batch;
      },
      transport: (inner, role) =>
        role === "settle"
          ? changing(inner, "TransactWriteItems", ({ Item }) => {
              const sk = Item?.sk;
              const [request] = [...others.keys()].filter((each) => sk && "S" in sk && sk.S === bareId(each));
              if (request && Item) Item.sk = { S: `${bareId(request)}~${others.get(request)}` };
            })
          : inner,
    };
  },

  "takes a late event for a duplicate of the estimate": () => ({
    transport: (inner) => async (service, action, body) =>
      body.includes('#adj"') ? {} : await inner(service, action, body),
  }),

  "keeps no history of prices": () => ({
    transport: (inner) => async (service, action, body) =>
      action === "PutItem" && body.includes(`"${pricePartition}"`) ? {} : await inner(service, action, body),
  }),

  "releases the hold when nothing is durable": () =>
    forGateway(({ ledger }) => ({
      ledger: {
        ...ledger,
        record: (events) => ledger.record(events).catch(() => events.map(() => "recorded" as const)),
      },
    })),

  "writes an entry only while the balance covers it": () => ({
    ports: ({ ledger, meters }, role) => ({
      ledger: {
        ...ledger,
        async record(events) {
          const covered: UsageEvent[] = [];
          for (const event of events) {
            const avail =
              event.mode === "payg" ? (await meters.readMeter(event.meter, event.shard))?.avail : undefined;
            if (role === "sweep" || avail === undefined || avail >= 0n) covered.push(event);
          }
          await ledger.record(covered);
          return events.map(() => "recorded" as const);
        },
      },
    }),
  }),

  "corrects the ledger and not the meter": () => ({
    transport: (inner) => (service, action, body) => {
      const input = JSON.parse(body) as { TransactItems?: { Put?: Write; Update?: Write }[] };
      if (!body.includes('#adj"') || !input.TransactItems) return inner(service, action, body);
      const kept = input.TransactItems.filter(({ Update }) => !partitionOf(Update ?? {}).startsWith("M#"));
      return inner(service, action, JSON.stringify({ ...input, TransactItems: kept }));
    },
  }),

  "settles as often as it is told": () => ({
    transport: (inner, role) => (role === "gateway" ? changing(inner, "UpdateItem", unguarded) : inner),
  }),

  "sweeps by its own guess although there is an entry": () =>
    forSweep(({ ledger }) => ({ ledger: { ...ledger, entry: async () => undefined } })),

  "takes a hold again that has ended": () => ({
    transport: (inner, role) => (role === "gateway" ? changing(inner, "UpdateItem", forgetful) : inner),
  }),

  "takes a lost answer for a request that was never sent": () => ({
    transport: (inner) => (service, action, body) =>
      inner(service, action, body).catch((error: unknown) => {
        throw error instanceof TransportError ? new TransportError("connect", error) : error;
      }),
  }),

  "holds a document by its bytes": () =>
    forGateway(({ meters }) => ({
      meters: {
        ...meters,
        async admit(hold) {
          // A whole context of 200,000 tokens, and nothing else, comes to so many hundredths of a point.
          if (hold.points / 10n ** 16n === 62n) hold.points = 10n ** 15n;
          return await meters.admit(hold);
        },
      },
    })),

  ...mutantsOfState,
  ...mutantsOfBudgets,
  ...mutantsOfDays,
  ...mutantsOfJoining,
  ...mutantsOfJoinedAdmissions,
  ...mutantsOfCache,
  ...mutantsOfFallbacks,
  ...mutantsOfKeys,
  ...mutantsOfParts,
  ...mutantsOfPeppers,
  ...mutantsOfRaces,
  ...mutantsOfSpread,
};

/** An admission whose condition does not name its own holds. */
const repeatable = (write: Write): void => unasked(write, /^h[0-9A-Z]{26}$/);
/** One that does not look for the marks of its own end. */
const forgetful = (write: Write): void => unasked(write, /^[yz][0-9A-Z]{26}$/);

/** Drops the condition that attributes of such names are not there. */
function unasked(write: Write, pattern: RegExp): void {
  for (const [slot, name] of Object.entries(write.ExpressionAttributeNames ?? {})) {
    if (!pattern.test(name)) continue;
    write.ConditionExpression = write.ConditionExpression?.replace(`attribute_not_exists(${slot}) AND `, "");
  }
}

/** A settlement that happens whether or not the hold is there. */
function unguarded(write: Write): void {
  if (write.UpdateExpression?.includes("REMOVE") && /^#\d+ = :\d+$/.test(write.ConditionExpression ?? "")) {
    write.ConditionExpression = "attribute_exists(kind)";
  }
}
