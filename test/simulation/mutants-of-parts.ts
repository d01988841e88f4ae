/** Products that are wrong where several shards of a wallet share a budget. */
import { budgetMessage, budgetOf } from "#shared/books/meters/budget.ts";
import { roomOn } from "#shared/books/meters/budget-parts.ts";
import { budgetAsks, type Hold } from "#shared/books/meters/hold.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { changes, ends, wrongsTo } from "./mutants-of-budgets.ts";
import type { Mutation } from "./mutation.ts";
import { partitionOf, type Write } from "./rewriting.ts";

const counters = wrongsTo(/^k[0-9A-Z]{10}:b/);
const moves = wrongsTo(/^moves$/);

const isOnAnotherShard = (write: Write) => /^M#.*#[1-9]\d*$/.test(partitionOf(write));
const turned = counters.recounted((right) => -right);

/** The first shard gets nothing of what a shard has that goes out of use. */
const lost: Mutation = {
  transport: (inner) => (service, action, body) => {
    const input = JSON.parse(body) as { TransactItems?: { Update?: Write }[] };
    const writes = input.TransactItems?.flatMap(({ Update }) => Update ?? []) ?? [];
    const isRetiring = writes.some((write) => ends(write) && counters.slotsOf(write).length > 0);
    if (!isRetiring || writes.length !== 2) return inner(service, action, body);
    for (const write of writes) if (!ends(write)) counters.uncounted(write);
    return inner(service, action, JSON.stringify(input));
  },
};

/** What a shard says that has no room for a call, as if there were no other. */
async function refusedAlone(hold: Hold, meters: Meters) {
  const [item, budget, [ask]] = [
    await meters.readMeter(hold.meter, hold.shard),
    budgetOf(hold.limits),
    budgetAsks(hold),
  ];
  if (!item || !budget || !ask || roomOn(item, ask) >= ask.points) return undefined;
  const use = { spent: budget.points - roomOn(item, ask), held: 0n };
  const message = budgetMessage(
    { level: "key", ...budget },
    use,
    { what: "the call", needed: ask.points },
    hold.at,
  );
  return { admitted: false, error: "insufficient_balance", message, limitStatus: {} } as const;
}

/** By name, as those of `mutants.ts`. */
export const mutantsOfParts: Record<string, () => Mutation> = {
  "gives a part of a budget that is not there": changes("TransactWriteItems", counters.unasked),
  "ends a call on another shard with the wrong sign": changes("UpdateItem", (write) => {
    if (ends(write) && isOnAnotherShard(write)) turned(write);
  }),
  "loses the part of a budget when its shard goes out of use": () => lost,
  "tells nobody that parts of budgets were moved": changes("TransactWriteItems", moves.uncounted),
  "refuses a call by one shard's part of a budget": () => ({
    ports: ({ meters }, role) =>
      role === "gateway"
        ? {
            meters: {
              ...meters,
              async admit(hold) {
                const admission = await meters.admit(hold);
                if (admission.admitted) return admission;
                return (await refusedAlone(hold, meters)) ?? admission;
              },
            },
          }
        : {},
  }),
};
