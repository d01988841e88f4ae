/** The settings of automatic top-up, as people change them (people/payments/auto-top-up.md). */
import { invalidState } from "../../base/errors.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { type AuditEntry, type AuditedChange, type AuditFacts, auditEntry } from "../identity/audit.ts";
import { type AutoTopUp, type TopUpTerms, topUpState } from "../payments/auto-top-up.ts";
import type { Order } from "../payments/order.ts";
import { isOpen } from "../payments/states.ts";
import type { OrderDeps } from "./deps.ts";
import { endUnwanted, isOutOfReach } from "./tend.ts";
import { endTopUp } from "./top-up-end.ts";

/** Who changes the settings, and from where. */
export interface TopUpActor {
  organization: string;
  user: { id: string; name: string };
  session?: { id: string };
  ip: string | null;
}

type SettingsDeps = Pick<OrderDeps, "topUps" | "now">;

/** Settings change seldom. A switch to off that meets a change begins again. */
const roundsMax = 5;

/** Turns top-up on by these terms. Failures are forgotten. Throws `invalid_state` where there is no card. */
export async function turnOn(by: TopUpActor, terms: TopUpTerms, deps: SettingsDeps): Promise<AutoTopUp> {
  const before = await deps.topUps.of(by.organization);
  if (!before.card || before.removing) throw invalidState("There is no card. Add one first.");
  const { failures: _failures, not_before: _at, paused: _why, ...kept } = before;
  return await changeTopUp(by, before, { ...kept, is_on: true, terms }, deps);
}

/**
 * Turns top-up off, and gives the settings as they are then. From here on no order is made, and none is charged by a process
 * that has yet to read the settings. `removing`: the card is about to go.
 */
export async function turnOff(
  by: TopUpActor,
  { removing = false }: { removing?: boolean },
  deps: SettingsDeps,
): Promise<AutoTopUp> {
  for (let round = 0; round < roundsMax; round++) {
    const before = await deps.topUps.of(by.organization);
    const isDone = !before.is_on && (!removing || before.removing || !before.card);
    if (isDone) return before;
    const after: AutoTopUp = { ...before, is_on: false, ...(removing && { removing }) };
    const lines = before.is_on ? [setLine(by, before, after, deps)] : [];
    const done = await replaceTopUp(before, after, lines, deps);
    if (done) return done;
  }
  throw invalidState(busy, "changed");
}

/**
 * Ends the order that is open though top-up is off, at its platform first. Gives the settings as they are then. An order
 * that is named there is one that the platform did not close yet.
 */
export async function endOpenOrder(topUp: AutoTopUp, deps: OrderDeps): Promise<AutoTopUp> {
  const order = topUp.order === undefined ? undefined : await deps.orders.find(topUp.order);
  if (!order) return topUp;
  const ended = isOpen(order.state) ? await endedOrKnown(order, deps) : order;
  return await endTopUp(ended, deps);
}

async function endedOrKnown(order: Order, deps: OrderDeps): Promise<Order> {
  return await endUnwanted(order, "page", deps).catch((error: unknown) => {
    // The reconciler goes on with it.
    if (isOutOfReach(error)) return order;
    throw error;
  });
}

/** Writes the settings as somebody wants them. Throws `invalid_state` where somebody else has changed them. */
async function changeTopUp(
  by: TopUpActor,
  before: AutoTopUp,
  after: AutoTopUp,
  deps: SettingsDeps,
): Promise<AutoTopUp> {
  const done = await replaceTopUp(before, after, [setLine(by, before, after, deps)], deps);
  if (!done) throw invalidState(busy, "changed");
  return done;
}

const busy = "Somebody else changes the automatic top-up at this moment. Try again.";

/** Replaces the settings, and gives them with their new revision. Undefined where somebody has changed them since. */
export async function replaceTopUp(
  before: AutoTopUp,
  after: AutoTopUp,
  lines: readonly AuditEntry[],
  { topUps }: Pick<OrderDeps, "topUps">,
): Promise<AutoTopUp | undefined> {
  const isDone = await topUps.change(before, after, { lines });
  return isDone ? { ...after, revision: before.revision + 1 } : undefined;
}

function setLine(by: TopUpActor, before: AutoTopUp, after: AutoTopUp, deps: SettingsDeps): AuditEntry {
  return topUpLine(by, { kind: "auto_top_up_set", before: factsOf(before), after: factsOf(after) }, deps);
}

/** A line of the audit log about the settings of an organization. */
export function topUpLine(
  { organization, user, session, ip }: TopUpActor,
  change: Omit<AuditedChange, "subject">,
  { now }: Pick<OrderDeps, "now">,
): AuditEntry {
  const by = { user, organization: { id: organization }, ...(session && { session }) };
  return auditEntry(by, { ...change, subject: organization }, ip, now());
}

/** The settings before or after a change, for the audit log. */
function factsOf(topUp: AutoTopUp): AuditFacts {
  const { terms, card } = topUp;
  return {
    state: topUpState(topUp),
    card: card?.last_four ?? null,
    below_points: terms?.below ?? null,
    amount: terms ? formatMoney(terms.amount, terms.currency) : null,
    month_max: terms ? formatMoney(terms.month_max, terms.currency) : null,
    currency: terms?.currency ?? null,
  };
}
