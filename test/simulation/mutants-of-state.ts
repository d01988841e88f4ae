/** Products that are broken where more than one process has a say: shards, caps, seals, idempotency keys, tasks. */

import type { Transport } from "#shared/base/platform/aws.ts";
import { HoldMayStand } from "#shared/books/meters/admission.ts";
import { mutantsOfMarks } from "./mutants-of-marks.ts";
import type { Mutation } from "./mutation.ts";
import { changing, partitionOf, sortOf, type Write } from "./rewriting.ts";

const unguardedMove = (write: Write): void => {
  if (!partitionOf(write).startsWith("M#")) return;
  write.ConditionExpression = write.ConditionExpression?.replace(
    /^(attribute_exists\(#\d+\)) AND #\d+ >= :\d+/,
    "$1",
  );
};

const unguardedWallet = (write: Write): void => {
  if (partitionOf(write).startsWith("O#")) write.ConditionExpression = "attribute_exists(pk)";
};

const unguardedRefund = (write: Write): void => {
  if (!partitionOf(write).startsWith("M#")) return;
  write.ConditionExpression = write.ConditionExpression?.replace(/^(#\d+ = :\d+) AND #\d+ >= :\d+$/, "$1");
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

/** By name, as those of `mutants.ts`. */
export const mutantsOfState: Record<string, () => Mutation> = {
  ...mutantsOfMarks,
  "seals without regard to what came late": () => ({
    transport: (inner, role) =>
      role === "seal" ? changing(inner, "TransactWriteItems", unguardedSeal) : inner,
  }),

  "posts late without regard to the seal": () => ({
    transport: (inner, role) =>
      role === "seal" ? inner : changing(inner, "TransactWriteItems", unguardedSeal),
  }),

  "lets a late intent take the place of a later one": () => ({
    transport: (inner, role) => (role === "gateway" ? changing(inner, "PutItem", unguardedIntent) : inner),
  }),

  "moves money between shards that is not there": () => ({
    transport: (inner) => changing(inner, "TransactWriteItems", unguardedMove),
  }),

  "resizes a wallet that others have resized": () => ({
    transport: (inner) => {
      const careless = changing(inner, "TransactWriteItems", unguardedWallet);
      // A freeze writes the wallet too, and no owner on its first item.
      return (...asked) => (asked[2].includes('"owner"') ? careless : inner)(...asked);
    },
  }),

  "pays back money that is not there": () => ({
    transport: (inner, role) =>
      role === "operator" ? changing(inner, "TransactWriteItems", unguardedRefund) : inner,
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

  "charges a call that lost its idempotency key and died": () => ({
    ports: ({ meters }) => ({
      meters: {
        ...meters,
        intend({ scope: _scope, ...intent }, attempt) {
          return meters.intend(intent, attempt);
        },
      },
    }),
  }),

  "says nothing of a refused call that may be held": () => ({
    ports: ({ meters }) => ({
      meters: {
        ...meters,
        async admit(hold) {
          try {
            const admission = await meters.admit(hold);
            if (admission.admitted) return admission;
            const { holdMayStand: _, ...refusal } = admission;
            return refusal;
          } catch (error) {
            throw error instanceof HoldMayStand ? error.cause : error;
          }
        },
        async abandon(ticket) {
          await meters.abandon(ticket);
          return true;
        },
      },
    }),
  }),

  "ends a task whatever has become of it": () => ({
    transport: (inner) => both(inner, unguardedTask),
  }),
};
