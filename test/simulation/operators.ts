/**
 * What operators do meanwhile, with the same bad luck as everybody: stop, credit, pay back, change
 * plans, resize wallets.
 */
import type { Organization } from "#shared/books/accounts/account.ts";
import type { Credit } from "#shared/books/ledger/ledger.ts";
import { growWallet, tendWallet } from "#shared/edges/jobs/shards.ts";
import { changePlan } from "#shared/edges/operator/subscriptions.ts";
import { quotas, simulatedCatalog } from "./catalog.ts";
import type { Random } from "./random.ts";
import type { Key, World } from "./world.ts";

const { plan } = simulatedCatalog();

/** Plans what operators do, within so many milliseconds. */
export function operate(world: World, within: number): void {
  const { random } = world.scheduler;
  const key = random.pick(world.keys);
  const soon = (act: () => void) => world.scheduler.after(random.between(0, within), null, act);
  if (random.chance(0.15)) soon(() => stop(world, key));
  for (let left = random.pick([0, 0, 2]); left > 0; left--) {
    const payment = random.pick(payments);
    soon(() => book(world, key.organization, payment));
  }
  if (random.chance(0.2)) {
    for (let left = random.between(1, 3); left > 0; left--) {
      const back = random.pick(refunds);
      soon(() => book(world, key.organization, back));
    }
  }
  if (random.chance(0.3)) {
    for (let left = random.between(1, 3); left > 0; left--)
      soon(() => resize(world, key.organization, random));
  }
  if (random.chance(0.2)) soon(() => moveToPlan(world, key.organization));
}

function stop(world: World, { record, organization }: Key): void {
  const { scheduler, books } = world;
  const freezes = scheduler.random.chance(0.5);
  world.act("operator", async ({ accounts }) => {
    if (!freezes) {
      if (await accounts.revokeKey(organization.id, record.id, scheduler.now)) books.block(record.id);
    } else if (await accounts.setStatus(organization.id, "frozen")) books.block(organization.id);
  });
}

type Booked = Pick<Credit, "points" | "kind" | "reference">;

/** What may be told more than once, and is booked once. */
const payments: Booked[] = [
  { reference: "payment-1", points: 10n ** 15n },
  { reference: "payment-2", points: 10n ** 15n },
  { reference: "gift", points: 10n ** 15n, kind: "promotional" },
];

/** Money that goes back while calls hold some: all that a poor wallet had, or half of it. */
const refunds: Booked[] = [
  { reference: "back-1", points: -4n * 10n ** 15n },
  { reference: "back-2", points: -2n * 10n ** 15n },
  { reference: "correction", points: -2n * 10n ** 15n, kind: "adjustment" },
];

/** A credit or a refund. One that is refused has changed nothing, which the books see. */
function book(world: World, { id, wallet }: Organization, credit: Booked): void {
  if (!wallet) return;
  const { meter } = wallet;
  const at = world.scheduler.now;
  world.act("operator", ({ ledger }) => ledger.credit({ organization: id, meter, at, ...credit }));
}

/** More shards or fewer, whatever is held on them. */
function resize(world: World, { id, wallet }: Organization, random: Random): void {
  if (!wallet) return;
  const count = random.between(1, 4);
  world.act("operator", (ports) => tendWallet(id, count, ports));
}

/** Rushes, in each of which a few processes find a wallet throttled at the same moment, and an operator may see it too. */
export function planRushes(world: World, random: Random): void {
  const within = random.pick([50, 5_000, 60_000, 600_000]);
  for (let left = random.pick([0, 0, 1, 3]); left > 0; left--) {
    const { organization } = random.pick(world.keys);
    const at = random.between(0, within);
    const soon = (act: () => void) => world.scheduler.after(at + random.between(0, rushMs), null, act);
    for (let processes = random.between(1, 3); processes > 0; processes--)
      soon(() => rush(world, organization));
    if (random.chance(0.5)) soon(() => resize(world, organization, random));
  }
}

const rushMs = 20;

/** More shards, as a gateway gives them that has just learned how many there are. */
function rush(world: World, { id }: Organization): void {
  world.act("rush", async (ports) => {
    const { wallet } = (await ports.accounts.organization(id)) ?? {};
    if (wallet) await growWallet(id, { shards: wallet.shards, throttled: true }, ports);
  });
}

function moveToPlan(world: World, { id, subscription }: Organization): void {
  if (!subscription) return;
  const { scheduler, books } = world;
  const wanted = scheduler.random.pick(["free", "pro"] as const);
  books.allow(subscription.meter, quotas[wanted]);
  world.act("operator", async ({ accounts, ledger }) => {
    const organization = await accounts.organization(id);
    const deps = { accounts, ledger, plan, now: () => scheduler.now };
    if (organization) await changePlan(organization, { plan: wanted }, deps);
  });
}
