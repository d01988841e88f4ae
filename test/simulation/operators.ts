/** What operators do meanwhile, with the same bad luck as everybody: stop, credit, change plans, resize wallets. */
import type { Organization } from "#shared/billing/account.ts";
import { tendWallet } from "#shared/operations/shards.ts";
import { changePlan } from "#shared/operations/subscriptions.ts";
import { quotas, simulatedCatalog } from "./catalog.ts";
import type { Key, World } from "./world.ts";

const { plan } = simulatedCatalog();

/** Plans what operators do, within so many milliseconds. */
export function operate(world: World, within: number): void {
  const { random } = world.scheduler;
  const key = random.pick(world.keys);
  const soon = (act: () => void) => world.scheduler.after(random.between(0, within), null, act);
  if (random.chance(0.15)) soon(() => stop(world, key));
  for (let left = random.pick([0, 0, 2]); left > 0; left--) {
    const payment = random.pick(["payment-1", "payment-2"]);
    soon(() => topUp(world, key.organization, payment));
  }
  if (random.chance(0.3)) {
    for (let left = random.between(1, 3); left > 0; left--) soon(() => resize(world, key.organization));
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

/** A payment that is told more than once is booked once. */
function topUp(world: World, { id, wallet }: Organization, reference: string): void {
  if (!wallet) return;
  const { meter } = wallet;
  const at = world.scheduler.now;
  const credit = { organization: id, meter, points: 10n ** 15n, reference, at };
  world.act("operator", ({ ledger }) => ledger.credit(credit));
}

/** More shards or fewer, whatever is held on them. */
function resize(world: World, { id, wallet }: Organization): void {
  if (!wallet) return;
  const count = world.scheduler.random.between(1, 4);
  world.act("operator", (ports) => tendWallet(ports, id, count));
}

function moveToPlan(world: World, { id, subscription }: Organization): void {
  if (!subscription) return;
  const { scheduler, books } = world;
  const wanted = scheduler.random.pick(["free", "pro"] as const);
  books.allow(subscription.meter, quotas[wanted]);
  world.act("operator", async ({ accounts, ledger }) => {
    const organization = await accounts.organization(id);
    const deps = { accounts, ledger, plan, now: () => scheduler.now };
    if (organization) await changePlan(deps, organization, { plan: wanted });
  });
}
