/** Products that are broken where more than one process has a say: shards, caps, seals, idempotency keys, tasks. */
import type { Transport } from "#shared/platform/aws.ts";
import type { Mutation, Ports } from "./mutation.ts";
import { changing, partitionOf, sortOf, type Write } from "./rewriting.ts";

const unguardedMove = (write: Write): void => {
  if (!partitionOf(write).startsWith("M#")) return;
  if (/^#\d+ >= :\d+$/.test(write.ConditionExpression ?? ""))
    write.ConditionExpression = "attribute_exists(kind)";
};

const unguardedSeal = (write: Write): void => {
  if (sortOf(write) === "S") write.ConditionExpression = "attribute_not_exists(nothing)";
};

/** A raised hold that is not asked whether its shard has what it takes. */
const unguardedStep = (write: Write): void => {
  const condition = write.ConditionExpression ?? "";
  if (/^#\d+ = :\d+ AND #\d+ >= :\d+$/.test(condition))
    write.ConditionExpression = condition.replace(/ AND .*/, "");
};

const unguardedTask = (write: Write): void => {
  if (partitionOf(write).startsWith("V#") && write.Key) write.ConditionExpression = "attribute_exists(pk)";
};

const unguardedIntent = (write: Write): void => {
  if (write.ConditionExpression?.includes("<=")) write.ConditionExpression = undefined;
};

const unguardedClaim = (write: Write): void => {
  if (partitionOf(write).startsWith("Y#")) write.ConditionExpression = undefined;
};

const both = (inner: Transport, change: (write: Write) => void): Transport =>
  changing(changing(inner, "UpdateItem", change), "TransactWriteItems", change);

/** The shard of the hold that a sweep is closing stands for the one the call was sent on. */
function anyShard({ meters, ledger }: Ports): Partial<Ports> {
  const shards = new Map<string, number>();
  return {
    meters: {
      ...meters,
      async *everyMeter() {
        for await (const meter of meters.everyMeter()) {
          for (const request of [...meter.holds.keys(), ...meter.seized.keys()])
            shards.set(request, meter.shard);
          yield meter;
        }
      },
      async closeIntent(request) {
        const intent = await meters.closeIntent(request);
        return intent && { ...intent, shard: shards.get(request) ?? intent.shard };
      },
    },
    ledger: {
      ...ledger,
      async entry(organization, request) {
        const entry = await ledger.entry(organization, request);
        const shard = shards.get(request);
        if (!entry?.event || shard === undefined) return entry;
        return { ...entry, event: { ...entry.event, shard } };
      },
    },
  };
}

/** By name, as those of `mutants.ts`. */
export const mutantsOfState: Record<string, () => Mutation> = {
  "seals without regard to what came late": () => ({
    transport: (inner, role) =>
      role === "seal" ? changing(inner, "TransactWriteItems", unguardedSeal) : inner,
  }),

  "posts late without regard to the seal": () => ({
    transport: (inner, role) =>
      role === "seal" ? inner : changing(inner, "TransactWriteItems", unguardedSeal),
  }),

  "settles what a call held on a shard it was not sent from": () => ({
    ports: (inner, role) => (role === "sweep" ? anyShard(inner) : {}),
  }),

  "lets a late intent take the place of a later one": () => ({
    transport: (inner, role) => (role === "gateway" ? changing(inner, "PutItem", unguardedIntent) : inner),
  }),

  "moves money between shards that is not there": () => ({
    transport: (inner) => changing(inner, "TransactWriteItems", unguardedMove),
  }),

  "raises a hold by money that is not there": () => ({
    transport: (inner, role) => (role === "gateway" ? changing(inner, "UpdateItem", unguardedStep) : inner),
  }),

  "lets a key have any number of calls in flight": () => ({
    ports: ({ meters }, role) =>
      role === "gateway"
        ? {
            meters: {
              ...meters,
              admit(hold) {
                if (hold.limits) {
                  const { max_concurrency: _cap, ...others } = hold.limits;
                  hold.limits = others;
                }
                return meters.admit(hold);
              },
            },
          }
        : {},
  }),

  "claims an idempotency key that another call has": () => ({
    transport: (inner, role) => (role === "gateway" ? changing(inner, "PutItem", unguardedClaim) : inner),
  }),

  "ends a task whatever has become of it": () => ({
    transport: (inner) => both(inner, unguardedTask),
  }),
};
