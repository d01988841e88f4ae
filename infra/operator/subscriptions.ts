/** The commands that change an organization's subscription: its plan, and when it ends. */
import { changePlan, setEnd } from "#shared/edges/operator/subscriptions.ts";
import { createPlanEnds } from "#shared/edges/store/orders/plan-ends.ts";
import { endLine, planLine } from "./audit-lines.ts";
import { choice, command, flag, flagOf, needed } from "./command.ts";
import { change, id, periods, sample } from "./organization-change.ts";
import { moment, storesWithCatalog } from "./stores.ts";

/** The stores of a command that sets an end. One of them notes when owners are told of it. */
async function endingStores(call: Parameters<typeof storesWithCatalog>[0]) {
  const stores = await storesWithCatalog(call);
  const { aws, tables } = stores.connection;
  return { ...stores, planEnds: createPlanEnds(aws, tables) };
}

export const plan = command({
  words: "org plan",
  what: "changes the plan or its period",
  more: "A change to more calls a month acts at once, any other with the next quota month. Calls used stay counted.",
  operands: [id],
  flags: {
    plan: needed(flag("P", "the plan from then on")),
    period: choice(periods, "how long it pays for at a time; as before if not given"),
  },
  examples: { [`${sample} --plan pro --period monthly`]: "pro, paid by the month" },
  forGood: ({ operand, flags }) =>
    `${operand} changes to the plan ${flags.plan}. The fee of the paid period that this begins is posted, and stays.`,
  async run(call) {
    const stores = await storesWithCatalog(call);
    const wanted = { plan: call.flags.plan, ...(call.flags.period && { period: call.flags.period }) };
    return await change({ ...call, lineOf: planLine }, stores, (organization) =>
      changePlan(organization, wanted, stores),
    );
  },
});

export const lapse = command({
  words: "org lapse",
  what: "ends the subscription, now or at an instant",
  more: "After its end the organization's subscription keys get 40202. What is left of the paid period is forfeited. Owners who have bought a plan get their messages before the new end.",
  operands: [id],
  flags: { at: flagOf("RFC3339", "when it ends; now if not given", moment) },
  examples: {
    [sample]: "it ends now",
    [`${sample} --at 2027-01-01T00:00:00Z`]: "it ends with the year",
  },
  forGood: ({ operand, flags }) =>
    `The subscription of ${operand} ends ${flags.at === undefined ? "now" : new Date(flags.at).toISOString()}. What is left then of its paid period is forfeited, and a later renewal pays anew.`,
  async run(call) {
    const stores = await endingStores(call);
    return await change({ ...call, lineOf: endLine }, stores, (organization) =>
      setEnd(organization, call.flags.at ?? stores.now(), stores),
    );
  },
});

export const renew = command({
  words: "org renew",
  what: "takes the subscription's end away",
  operands: [id],
  examples: { [sample]: "it runs on" },
  async run(call) {
    const stores = await endingStores(call);
    return await change({ ...call, lineOf: endLine }, stores, (organization) =>
      setEnd(organization, null, stores),
    );
  },
});
