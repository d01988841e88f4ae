/** One seed: a weather, some customers and their calls, sweeps and operators in between; then calm, and the books are closed. */
import type { Organization } from "#shared/billing/account.ts";
import { limits } from "#shared/limits.ts";
import { type AuditReport, audit } from "#shared/operations/audit.ts";
import type { Mutation } from "./mutation.ts";
import { drawScript } from "./provider.ts";
import { Scheduler } from "./scheduler.ts";
import { drawWeather } from "./weather.ts";
import { World } from "./world.ts";

export interface Outcome {
  seed: number;
  /** What was found wrong, in the order it was seen. Empty is good. */
  violations: string[];
  calls: number;
  steps: number;
  trace: string[];
}

/** Instants near which hours, days, months and years end, and one near which nothing does. */
const starts = [
  "2026-11-21T12:30:00Z",
  "2026-11-21T12:59:30Z",
  "2026-11-30T23:59:00Z",
  "2026-12-31T23:58:00Z",
];
const callsMax = 12;

/** Runs a seed from beginning to end. The same seed and mutation give the same outcome. */
export async function simulate(
  seed: number,
  options: { mutation?: Mutation; trace?: boolean } = {},
): Promise<Outcome> {
  const start = Date.parse(starts[seed % starts.length] ?? "");
  const scheduler = new Scheduler(seed, start, options.trace ?? false);
  return await scheduler.owning(async () => {
    const weather = drawWeather(scheduler.random);
    scheduler.note(null, JSON.stringify(weather));
    const world = new World(scheduler, weather, options.mutation);
    const look = () => world.books.look();
    await openCustomers(world);
    plan(world);
    const horizon = start + scheduler.random.pick([600_000, 3_600_000, 7_200_000]);
    await scheduler.proceed(horizon, look);
    world.cloud.calmDown();
    await comeToRest(world, look);
    look();
    world.books.close(world.cloud.db);
    for (const { holds, name, detail } of (await auditOnce(world)).invariants) {
      if (!holds) world.books.violation(`audit ${name}: ${detail}`);
    }
    const { violations } = world.books;
    return {
      seed,
      violations,
      calls: world.calls.size,
      steps: scheduler.steps,
      trace: scheduler.trace ?? [],
    };
  });
}

/** Rich and poor wallets, plans with and without a limit of the minute; two keys where there are two projects. */
async function openCustomers(world: World): Promise<void> {
  const { random } = world.scheduler;
  for (let left = random.between(1, 2); left > 0; left--) {
    const kind = random.pick(["wallet", "wallet", "plan", "both"]);
    const organization = await world.addOrganization({
      ...(kind !== "plan" && { points: random.pick(["0.004", "1"]) }),
      ...(kind !== "wallet" && { plan: random.pick(["free", "pro"]) }),
    });
    if (kind !== "plan") await world.addKey(organization, "payg", random.pick(["", "p"]));
    if (kind !== "wallet") await world.addKey(organization, "subscription", random.pick(["", "q"]));
  }
}

/** Everything that will be done from outside, each at its time. */
function plan(world: World): void {
  const { scheduler, books } = world;
  const { random } = scheduler;
  const within = random.pick([50, 5_000, 60_000, 600_000]);
  const timeMs = random.pick([60_000, 120_000, 900_000]);
  const hardEnd = random.chance(0.7);
  for (let left = random.between(1, callsMax); left > 0; left--) {
    const key = random.pick(world.keys);
    const script = drawScript(random);
    const how = {
      stream: random.chance(0.7),
      leavesAfter: random.chance(0.2) ? random.between(1, 3) : Infinity,
      timeMs,
      hardEnd,
    };
    scheduler.after(random.between(0, within), null, () => world.call(key, script, how));
  }
  const sweeps = random.between(0, 8);
  for (let n = 0; n < sweeps; n++) {
    const skew = random.pick([-1, 0, 1, 1]) * random.between(0, world.cloud.weather.sweeperSkewMs);
    scheduler.after(random.between(0, random.pick([within, within, 3_600_000])), null, () =>
      world.sweep(skew),
    );
  }
  const { record, organization } = random.pick(world.keys);
  if (random.chance(0.15)) {
    scheduler.after(random.between(0, within), null, () =>
      world.act("operator", async ({ accounts }) => {
        if (random.chance(0.5)) {
          if (await accounts.revokeKey(organization.id, record.id, scheduler.now)) books.block(record.id);
        } else if (await accounts.setStatus(organization.id, "frozen")) books.block(organization.id);
      }),
    );
  }
  for (let left = random.pick([0, 0, 2]); left > 0; left--) {
    scheduler.after(random.between(0, within), null, () => topUp(world, organization));
  }
}

/** A payment that is told more than once is booked once. */
function topUp(world: World, { id, wallet }: Organization): void {
  if (!wallet) return;
  const credit = {
    organization: id,
    meter: wallet.meter,
    points: 10n ** 15n,
    reference: "payment-1",
    at: world.scheduler.now,
  };
  world.act("operator", ({ ledger }) => ledger.credit(credit));
}

/** Every message is delivered and every call ends; then two sweeps pass over what is left. */
async function comeToRest(world: World, look: () => void): Promise<void> {
  const { scheduler, cloud } = world;
  await scheduler.proceed(Infinity, look);
  for (let n = 0; n < 2; n++) {
    scheduler.now += (limits.holdExpirySeconds + limits.sweepsGraceSeconds) * 1000;
    world.sweep(0);
    await scheduler.proceed(Infinity, look);
  }
  if (cloud.messages.size > 0) world.books.violation(`${cloud.messages.size} messages are left`);
}

/** The product's own audit of books at rest. */
async function auditOnce(world: World): Promise<AuditReport> {
  const { accounts, meters, ledger } = world.quietly;
  // Its patience is over with the second look at the clock: what it sees at once counts.
  let looks = 0;
  return await audit({
    accounts,
    meters,
    ledger,
    tasks: { find: async () => undefined },
    pending: async () => 0,
    now: () => world.scheduler.now + 60_000 * looks++,
  });
}
