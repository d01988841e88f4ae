/**
 * Races one task: creation, two executions, cancels, the sweep and the provider all act at once. A seed draws the
 * order, and each actor may die at any of its calls. Afterwards the state machine and the schedule do what they do
 * about it.
 */

import { taskOf } from "#shared/base/platform/id.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { cancelTask } from "#shared/calls/tasks/cancel.ts";
import type { TaskCreation, TaskDeps } from "#shared/calls/tasks/deps.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { type RepairDeps, repairTasks } from "#shared/calls/tasks/repair.ts";
import { isFinal } from "#shared/calls/tasks/task.ts";
import { bookGaps, type TaskBooks } from "../../../support/task-books.ts";
import { randomOf, Turns } from "../../../support/turns.ts";
import { createVideo, type VideoScenario, videoRequest } from "../../../support/video.ts";

const everything = { older_than_seconds: 0 };

interface World {
  caller: Principal;
  /** The meters as the sweep sees them: this task's own. */
  meters: RepairDeps["meters"];
  scenario: VideoScenario;
  random: () => number;
  id: string;
  /** What clients were told. */
  told: { created?: boolean; cancelled?: boolean };
  /** What nobody should ever see. */
  broken: unknown[];
  /** Between a cancel's look at the provider and its DELETE no video is finished: that takes longer than a call. */
  withdrawing: boolean;
}

/** A world whose provider answers the first submission as the seed says. */
export function newWorld(
  seed: number,
  scenario: VideoScenario,
  caller: Principal,
  meters: RepairDeps["meters"],
): World {
  const random = randomOf(seed);
  scenario.provider.answers = creationOf(random);
  return { caller, meters, scenario, random, id: "", told: {}, broken: [], withdrawing: false };
}

function creationOf(random: () => number): TaskCreation[] {
  const draw = random();
  if (draw < 0.1) return [{ kind: "nothing", reason: "429" }];
  if (draw < 0.2) return [{ kind: "uncertain", reason: "reset" }];
  if (draw < 0.25) return [{ kind: "refused", error: { code: "Bad", message: "no" } }];
  return [];
}

/** The ports as one actor sees them. */
function portsFor(turns: Turns, actor: object, { scenario: { deps } }: World): VideoScenario["deps"] {
  const { tasks, meters, provider, workflow } = deps;
  const wrap = <Port extends object>(port: Port) => turns.wrap(actor, port);
  return {
    ...deps,
    tasks: wrap(tasks),
    meters: wrap(meters),
    provider: wrap(provider),
    workflow: wrap(workflow),
  };
}

/** Everybody at once, until each has ended or died. */
export async function race(world: World): Promise<void> {
  const { scenario, random, told, broken } = world;
  const turns = new Turns(random, 0.01);
  const request = videoRequest(scenario);
  world.id = taskOf(request.id);
  const act = (run: (deps: VideoScenario["deps"]) => Promise<unknown>, refused: (error: unknown) => void) => {
    const actor = {};
    turns.start(actor, () => run(portsFor(turns, actor, world)), refused);
  };
  /** A refusal of ours is an answer; anything else is a fault. */
  const refusal = (error: unknown) => {
    if (!(error instanceof Error && error.name === "GatewayError")) broken.push(error);
  };
  act(
    async (deps) => {
      await createVideo(deps, request, world.caller);
      told.created = true;
    },
    (error) => {
      told.created = false;
      refusal(error);
    },
  );
  for (const beginning of ["submit", "poll"] as const) {
    act(
      async (deps) => {
        await step(world, beginning, deps);
        for (let polls = 0; polls < 3; polls++) await step(world, "poll", deps);
      },
      (error) => broken.push(error),
    );
  }
  for (let cancels = random() * 3; cancels > 1; cancels--) {
    act(async (deps) => {
      await cancelTask(world.id, world.caller, { ...deps, provider: guarded(world, deps) });
      told.cancelled = true;
    }, refusal);
  }
  if (random() < 0.5) act((deps) => repairTasks(everything, { ...deps, meters: world.meters }), refusal);
  act(
    async (deps) => {
      for (let turn = 0; turn < 12; turn++) {
        await deps.workflow.stop("the provider's turn");
        progress(world);
      }
    },
    (error) => broken.push(error),
  );
  await turns.run();
  world.withdrawing = false;
}

/** The provider as a cancel asks it. */
function guarded(world: World, { provider }: TaskDeps): TaskDeps["provider"] {
  return {
    reaches: provider.reaches,
    create: provider.create,
    async read(upstream) {
      world.withdrawing = true;
      return await provider.read(upstream);
    },
    async cancel(upstream) {
      const done = await provider.cancel(upstream);
      world.withdrawing = false;
      return done;
    },
  };
}

function progress({ scenario: { provider }, random, withdrawing }: World): void {
  for (const [id, state] of provider.tasks) {
    if (state === "queued" && random() < 0.2) provider.tasks.set(id, "running");
    else if (state === "running" && !withdrawing && random() < 0.5) {
      provider.tasks.set(id, random() < 0.8 ? "succeed" : "failed");
    }
  }
}

const step = ({ id }: World, action: "submit" | "poll", deps: VideoScenario["deps"]) =>
  work({ action, task: id, organization: "org_1", polls: 0 }, deps);

/** What the machine and the schedule do afterwards: looks until the end, for a day and more. */
export async function recover(world: World): Promise<void> {
  const { scenario } = world;
  const { deps, clock } = scenario;
  const repair = () => repairTasks(everything, { ...deps, meters: world.meters });
  await repair();
  for (let looks = 0; looks < 30; looks++) {
    progress(world);
    clock.now += 60_000;
    if ((await step(world, "poll", deps)).done) break;
  }
  clock.now += 86_400_000;
  await step(world, "poll", deps);
  clock.now += 600_000;
  await repair();
}

/**
 * What must not be true after the race. A task has one end and one settlement, and every hold has an owner.
 * Nothing is created twice, and no client gets a wrong answer. No video goes on after we called it cancelled.
 */
export function gapsOf({ scenario: { provider }, id, told, broken }: World, books: TaskBooks): string[] {
  const task = books.kept.get(id);
  const upstream = task?.upstream && provider.tasks.get(task.upstream.id);
  const awaited = task?.status === "expired" && task.submission !== "unsubmitted";
  return [
    ...broken.map(String),
    ...bookGaps(books),
    ...(task && !isFinal(task.status) ? [`it never ended: ${task.status}`] : []),
    ...(books.holds.size > 0 && !awaited ? ["a hold without an owner"] : []),
    ...(provider.tasks.size > 1 ? ["created twice"] : []),
    ...(provider.lost.length > 0 ? ["a video was deleted"] : []),
    ...(told.created && !task ? ["the client knows a task we do not"] : []),
    ...(told.created === false && (task || books.holds.size > 0) ? ["a refused task lives"] : []),
    ...(told.cancelled && task?.status !== "cancelled" ? [`called cancelled, and is ${task?.status}`] : []),
    ...(task?.status === "cancelled" && upstream && upstream !== "cancelled" ? [`goes on: ${upstream}`] : []),
    ...(task?.status === "cancelled" && !upstream && provider.tasks.size > 0 ? ["goes on without us"] : []),
  ];
}
