/** Automatic orders in a history: wallets fall, passes look at them, people turn it on and off, and cards are declined. */
import type { Organization } from "#shared/books/accounts/account.ts";
import { onePoint, parsePoints } from "#shared/books/billing/points.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import { topUpIfLow } from "#shared/people/orders/top-up.ts";
import { findCard, openCardPage, removeCard } from "#shared/people/orders/top-up-card.ts";
import { endOpenOrder, turnOff, turnOn } from "#shared/people/orders/top-up-terms.ts";
import type { TopUpTerms } from "#shared/people/payments/auto-top-up.ts";
import { catalog, leftIn, orderDeps } from "#test/support/orders.ts";
import type { OrderWorld, WorldDeps } from "./world.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What an organization of a history wants, and when somebody has said so. */
export interface Automated {
  organization: Organization;
  terms: TopUpTerms;
  /** When somebody began to turn it on, and each answer to who turned it off: the order that it named, if it did. */
  ons: number[];
  offs: { at: number; order: string | undefined }[];
  /** When points came that were not bought by themselves. */
  others: number[];
}

const declines = [
  { code: "try_again_later", retry: true },
  { code: "authentication_required", retry: false },
  { code: "insufficient_funds", retry: false },
];

/** An organization that tops up by itself, and what becomes of it until `end`. */
export async function automate(organization: Organization, world: OrderWorld, end: number): Promise<void> {
  const { scheduler, trades } = world;
  const { random } = scheduler;
  const amount = random.between(500, 3_000);
  const most = amount * random.between(1, 4) + random.between(0, 400);
  const terms = { below: "50", currency: "USD", amount, month_max: most, set_by: "usr_1" };
  const automated: Automated = { organization, terms, ons: [], offs: [], others: [] };
  world.automated.push(automated);
  const quiet = orderDeps(world.quiet, trades, scheduler);
  await give(automated, world, 200);
  await saveCard(organization, quiet);
  await begin(automated, quiet, world);
  if (random.chance(0.5))
    for (let n = 0; n < 12; n++)
      trades.stripe.chargeOutcomes.push(random.chance(0.6) ? "paid" : random.pick(declines));
  const span = end - scheduler.now;
  const at = (run: () => void) => scheduler.after(random.between(1, span), null, run);
  for (let n = random.between(3, 8); n > 0; n--) at(() => fall(automated, world, end));
  for (let n = random.between(0, 2); n > 0; n--)
    at(() => void give(automated, world, random.between(1, 100)));
  for (let n = random.pick([0, 0, 1, 2, 3]); n > 0; n--) at(() => change(automated, world));
}

/** Calls use up the wallet, and passes look at it: the next ones of the schedule, and at times two at once. */
export function fall(automated: Automated, world: OrderWorld, end: number): void {
  const { scheduler } = world;
  const { random } = scheduler;
  void spendAll(automated, world);
  for (let n = random.between(1, 4); n > 0; n--) {
    const wait = random.between(1, random.pick([1_000, 5 * minuteMs, 20 * minuteMs]));
    if (scheduler.now + wait < end) scheduler.after(wait, null, () => lookAtWallet(automated, world));
  }
  // Somebody changes the settings while the charge may be on its way.
  if (random.chance(0.2))
    scheduler.after(random.between(1, 3 * minuteMs), null, () => change(automated, world));
}

/** A look of the sweep's pass. It has read the wallet some time before it comes to this. */
function lookAtWallet({ organization }: Automated, world: OrderWorld): void {
  world.invoke("pass", async (deps) => {
    const left = await leftIn(organization.wallet?.meter ?? "", deps);
    const known = await deps.accounts.organization(organization.id);
    if (known) await topUpIfLow(known, left, { ...deps, recharge: catalog.recharge });
  });
}

/** Somebody turns it off or on, changes the card, or an operator freezes the organization for some time. */
function change(automated: Automated, world: OrderWorld): void {
  const { organization } = automated;
  const { scheduler, quiet } = world;
  const by = { organization: organization.id, user: { id: "usr_1", name: "Li" }, ip: null };
  const off = (act: (deps: WorldDeps) => Promise<{ order?: string }>) =>
    world.invoke("turn off", async (deps) => {
      const { order } = await act(deps);
      automated.offs.push({ at: scheduler.now, order });
    });
  const kind = scheduler.random.pick(["off", "remove", "freeze", "on"] as const);
  if (kind === "off") off(async (deps) => await endOpenOrder(await turnOff(by, {}, deps), deps));
  if (kind === "remove") off((deps) => removeCard(by, deps));
  if (kind === "freeze") {
    const accounts = createAccounts(quiet.aws, quiet.tables);
    void accounts.setStatus(organization.id, "frozen");
    scheduler.after(20 * minuteMs, null, () => void accounts.setStatus(organization.id, "active"));
  }
  const again = () =>
    world.invoke("turn on", async (deps) => {
      if (!(await deps.topUps.of(organization.id)).card) await saveCard(organization, deps);
      await begin(automated, deps, world);
    });
  if (kind === "on") again();
  else if (scheduler.random.chance(0.7))
    scheduler.after(scheduler.random.between(1, 5 * hourMs), null, again);
}

async function saveCard({ id }: Organization, deps: OrderDeps): Promise<void> {
  await openCardPage(
    { organization: id, user: { id: "usr_1", name: "Li" }, ip: null },
    "https://c.test",
    deps,
  );
  await findCard(id, deps);
}

async function begin(automated: Automated, deps: OrderDeps, { scheduler }: OrderWorld): Promise<void> {
  automated.ons.push(scheduler.now);
  const by = { organization: automated.organization.id, user: { id: "usr_1", name: "Li" }, ip: null };
  await turnOn(by, automated.terms, deps);
}

/** All that is left is used but some points below what the settings say. */
async function spendAll({ organization, terms }: Automated, world: OrderWorld): Promise<void> {
  const { scheduler, quiet } = world;
  const { id, wallet } = organization;
  const meter = wallet?.meter ?? "";
  const left = await createMeters(quiet.aws, quiet.tables).balance(meter);
  const kept = parsePoints(terms.below) - BigInt(scheduler.random.between(1, 40)) * onePoint;
  if (left <= kept) return;
  const reference = `used-${scheduler.random.between(1, 1e9)}`;
  await createLedger(quiet.aws, quiet.tables)
    .credit({
      organization: id,
      meter,
      points: kept - left,
      kind: "adjustment",
      reference,
      at: scheduler.now,
    })
    // Points may have gone meanwhile.
    .catch((error: unknown) => scheduler.note(null, `cannot spend: ${String(error)}`));
}

async function give(automated: Automated, { scheduler, quiet }: OrderWorld, points: number): Promise<void> {
  const { id, wallet } = automated.organization;
  const reference = `given-${scheduler.random.between(1, 1e9)}`;
  automated.others.push(scheduler.now);
  await createLedger(quiet.aws, quiet.tables).credit({
    ...{ organization: id, meter: wallet?.meter ?? "", at: scheduler.now, reference },
    ...{ points: BigInt(points) * onePoint, kind: "promotional" },
  });
}
