/**
 * One seed: a weather, some customers and their calls, sweeps and operators in between; then calm, and the
 * books are closed.
 */

import { limits } from "#shared/base/limits.ts";
import { spanEnd, spanOf } from "#shared/books/billing/period.ts";
import { Audits } from "./audits.ts";
import { type Call, callModel, type Manner } from "./calls.ts";
import { openChanging, planChanges } from "./changed-keys.ts";
import { closeGaps } from "./closes.ts";
import { openCrowd, planCrowds } from "./crowds.ts";
import { openCustomers } from "./customers.ts";
import { drawFallback } from "./fallbacks.ts";
import { forecastGaps } from "./forecasts.ts";
import { hasLevels, openLevels, planLevels } from "./levels.ts";
import { drawMeaning } from "./meanings.ts";
import type { Mutation } from "./mutation.ts";
import { operate, planRushes } from "./operators.ts";
import { openOwnKeys } from "./own-keys.ts";
import { planRotation } from "./peppers.ts";
import { plantFault } from "./planted.ts";
import { drawLongScript, drawScript, type Script } from "./provider.ts";
import { drawQuestion } from "./questions.ts";
import { Random } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { openSharing, planSharing } from "./shared-budgets.ts";
import { ThresholdBooks, withoutLooks } from "./thresholds.ts";
import { planVideos } from "./videos.ts";
import { drawWeather } from "./weather.ts";
import { type Key, World } from "./world.ts";

export interface Outcome {
  seed: number;
  /** What was found wrong, in the order it was seen. Empty is good. */
  violations: string[];
  calls: number;
  /** Calls that were refused and are charged, because nothing could be written against it. */
  unwritten: number;
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
const [callsMax, rushMax, rushMs] = [12, 3, 20];
/** Questions, fallbacks and rushes are drawn by chances of their own, so that they change nothing else of a seed. */
const questionSeeds = 1_000_000_007;
const fallbackSeeds = 2_000_000_011;
const rushSeeds = 3_000_000_019;
const sharingSeeds = 5_000_000_029;
const levelSeeds = 7_000_000_009;
const owningSeeds = 9_000_000_011;
const changingSeeds = 6_000_000_037;
const crowdSeeds = 8_000_000_011;
const hourMs = 3_600_000;

/**
 * Runs a seed from beginning to end. The same seed and mutation give the same outcome. With `fault` the audit must name one
 * that is planted in the end.
 */
export async function simulate(
  seed: number,
  options: { mutation?: Mutation; trace?: boolean; fault?: boolean } = {},
): Promise<Outcome> {
  const start = Date.parse(starts[seed % starts.length] ?? "");
  const scheduler = new Scheduler(seed, start, options.trace ?? false);
  return await scheduler.owning(async () => {
    const weather = drawWeather(scheduler.random);
    scheduler.note(null, JSON.stringify(weather));
    const { mutation } = options;
    const world = new World(scheduler, weather, hasLevels(seed) ? mutation : withoutLooks(mutation));
    let told: ThresholdBooks | undefined;
    const look = () => {
      world.books.look(scheduler.now);
      told?.look();
    };
    await openCustomers(world);
    const sharing = new Random(seed + sharingSeeds);
    const sharer = await openSharing(world, seed, sharing);
    const leveling = new Random(seed + levelSeeds);
    const leveled = await openLevels(world, seed, leveling);
    if (leveled[0]) told = new ThresholdBooks(world, leveled[0]);
    await openOwnKeys(world, seed, new Random(seed + owningSeeds));
    const changing = new Random(seed + changingSeeds);
    const changed = await openChanging(world, seed, changing);
    const crowding = new Random(seed + crowdSeeds);
    const crowd = await openCrowd(world, seed, crowding);
    look();
    world.books.caps.start();
    plan(world, new Random(seed + questionSeeds), new Random(seed + fallbackSeeds));
    planMeanings(world, new Random(seed + 2 * questionSeeds));
    planRotation(world, seed);
    planRushes(world, new Random(seed + rushSeeds));
    if (sharer) planSharing(world, sharer, sharing);
    if (leveled.length > 0) planLevels(world, leveled, leveling);
    if (changed) planChanges(world, changed, changing);
    if (crowd) planCrowds(world, crowd, crowding);
    const audits = new Audits(world);
    audits.plan(seed);
    const horizon = start + scheduler.random.pick([hourMs / 6, hourMs, 2 * hourMs, 2 * hourMs, 40 * hourMs]);
    await scheduler.proceed(horizon, look);
    world.cloud.calmDown();
    await comeToRest(world, look);
    await told?.close(look);
    look();
    world.books.close(world.cloud.db, scheduler.now);
    await audits.audit();
    world.books.violation(...(await forecastGaps(world)));
    if (options.fault) world.books.violation(...(await plantFault(seed, world.cloud.db, audits.deps())));
    else world.books.violation(...(await closeGaps(world)));
    const { violations } = world.books;
    return {
      seed,
      violations,
      calls: world.calls.size,
      unwritten: world.books.unwritten,
      steps: scheduler.steps,
      trace: scheduler.trace ?? [],
    };
  });
}

/** Everything that will be done from outside, each at its time. */
function plan(world: World, questions: Random, fallbacks: Random): void {
  const { scheduler } = world;
  const { random } = scheduler;
  const within = random.pick([50, 5_000, 60_000, 600_000]);
  const timeMs = random.pick([60_000, 120_000, 900_000]);
  const hardEnd = random.chance(0.7);
  const asksAgain = questions.pick([0, 1]);
  const [keyed, strict] = [random.pick([0, 0, 0.5]), random.pick([0, 0.3, 0.6])];
  const rush = random.pick([0, 0, 0.6]);
  const fallsBack = fallbacks.pick([0, 0, 0.6]);
  for (let left = random.between(1, callsMax); left > 0; left--) {
    const key = random.pick(world.keys);
    const how: Manner = {
      stream: random.chance(0.7),
      strict: random.chance(strict),
      leavesAfter: random.chance(0.2) ? random.between(1, 3) : Infinity,
      stallsAfter: random.chance(0.1) ? random.between(1, 3) : Infinity,
      timeMs,
      hardEnd,
      ...(random.chance(keyed) && { idempotency: `once-${left}` }),
      ...(questions.chance(asksAgain) && { question: drawQuestion(questions) }),
      ...(fallbacks.chance(fallsBack) && { fallback: drawFallback(fallbacks) }),
    };
    const after = random.between(0, within);
    planCall(world, key, how, after, within);
    // Others call in the same moment, with the same key.
    const others = random.chance(rush) ? random.between(1, rushMax) : 0;
    for (let n = 0; n < others; n++) planCall(world, key, how, after + random.between(0, rushMs), within);
  }
  if (asksAgain > 0) planQuestions(world, questions, within);
  if (random.chance(0.2)) planVideos(world, world.keys, { within, random });
  const { sweeperSkewMs, sealerSkewMs } = world.cloud.weather;
  for (let left = random.between(0, 8); left > 0; left--) {
    const skew = random.pick([-1, 0, 1, 1]) * random.between(0, sweeperSkewMs);
    const readsForMs = random.pick([Infinity, Infinity, 0, random.between(0, 1_000)]);
    at(world, [within, within, hourMs], () => world.sweep(skew, readsForMs));
  }
  for (let left = random.pick([0, 0, 0, 4]); left > 0; left--) {
    const skew = random.between(-1, 1) * random.between(0, sealerSkewMs);
    at(world, [3 * hourMs, 3 * hourMs, 30 * hourMs], () => world.seal(skew));
  }
  operate(world, within);
}

function at({ scheduler }: World, latest: number[], act: () => void): void {
  const { random } = scheduler;
  scheduler.after(random.between(0, random.pick(latest)), null, act);
}

/** A call and, where it has an idempotency key, its twin or what its client repeats when it saw no end. */
function planCall(world: World, key: Key, how: Manner, after: number, within: number): void {
  const { scheduler } = world;
  const { random } = scheduler;
  const script = () => (how.strict && random.chance(0.8) ? drawLongScript(random) : drawScript(random));
  const calls: Call[] = [];
  const call = () => calls.push(callModel(world, key, script(), how));
  scheduler.after(after, null, call);
  for (let left = how.idempotency === undefined ? 0 : random.between(1, 3); left > 0; left--) {
    const later =
      after + random.between(0, random.pick([10, within, within, 2 * limits.holdExpirySeconds * 1000]));
    const anyway = random.chance(0.3);
    scheduler.after(later, null, () => {
      if (anyway || !calls.some(({ sawEnd }) => sawEnd)) call();
    });
  }
}

/** Calls of keys whose plan has a cache, some of which ask what was answered before. */
function planQuestions(world: World, questions: Random, within: number): void {
  const { scheduler } = world;
  const plain = { leavesAfter: Infinity, stallsAfter: Infinity, timeMs: 120_000, hardEnd: true };
  for (const key of world.keys) {
    if (key.record.mode !== "subscription" || key.organization.subscription?.plan !== "pro") continue;
    for (let left = questions.between(2, 5); left > 0; left--) {
      const how = {
        ...plain,
        stream: questions.chance(0.5),
        strict: false,
        question: drawQuestion(questions),
      };
      const script = drawScript(questions);
      const later = questions.between(0, Math.max(4 * within, 600_000));
      scheduler.after(later, null, () => callModel(world, key, script, how));
    }
  }
}

/** Calls of the same keys, with questions that mean the same in other words. */
function planMeanings(world: World, questions: Random): void {
  if (questions.chance(0.3)) return;
  const how = { leavesAfter: Infinity, stallsAfter: Infinity, timeMs: 120_000, hardEnd: true, strict: false };
  for (const key of world.keys) {
    if (key.record.mode !== "subscription" || key.organization.subscription?.plan !== "pro") continue;
    for (let left = questions.between(3, 7); left > 0; left--) {
      const asked = { ...how, stream: questions.chance(0.5), question: drawMeaning(questions) };
      const script: Script = { ...drawScript(questions), ...(questions.chance(0.9) && { kind: "answers" }) };
      world.scheduler.after(questions.between(0, 600_000), null, () => callModel(world, key, script, asked));
    }
  }
}

/**
 * Every message is delivered and every call ends; then two sweeps pass over what is left, plan fees are posted, and
 * a day is sealed.
 */
async function comeToRest(world: World, look: () => void): Promise<void> {
  const { scheduler, cloud } = world;
  await scheduler.proceed(Infinity, look);
  const lives = (limits.taskLifetimeSeconds + limits.taskOverdueSeconds) * 1000;
  // The first pass may go on where an earlier one has stopped.
  const waits = world.videos.size > 0 ? [0, 0, 0, lives, 0] : [0, 0, 0];
  for (const wait of waits) {
    scheduler.now += wait + (limits.holdExpirySeconds + limits.sweepsGraceSeconds) * 1000;
    world.sweep(0);
    await scheduler.proceed(Infinity, look);
  }
  world.postFees();
  await scheduler.proceed(Infinity, look);
  if (scheduler.random.chance(0.3)) {
    const over = spanEnd(spanOf(scheduler.now, scheduler.random.pick(["day", "month"])));
    scheduler.now = over + limits.sealGraceSeconds * 1000;
    world.seal(0);
    await scheduler.proceed(Infinity, look);
  }
  if (cloud.messages.size > 0) world.books.violation(`${cloud.messages.size} messages are left`);
}
