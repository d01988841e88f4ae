/** The tasks that still hold something, found from the meters: what an operator looks at and decides on. */
import type { Accounts } from "../accounts/account.ts";
import { type EndDeps, resolve } from "./end.ts";
import type { Task } from "./task.ts";

export interface HeldDeps extends EndDeps {
  accounts: Pick<Accounts, "organizations">;
  meters: { everyMeter(): AsyncIterable<{ meter: string; tasks: Map<string, unknown> }> };
}

/** A row of the operator's list. */
export interface HeldTask {
  id: string;
  organization: string;
  model: string;
  status: Task["status"];
  submission: Task["submission"];
  hold_points: string;
  age_seconds: number;
  provider: string | null;
  /** The provider's id, to ask it by. */
  upstream: string | null;
}

/** Every task whose hold is not settled; with `expired`, those that await a verdict. */
export async function listHeld(deps: HeldDeps, expired: boolean): Promise<HeldTask[]> {
  const found = await Array.fromAsync(heldTasks(deps));
  return found
    .filter(({ status }) => !expired || status === "expired")
    .map(({ id, organization, model, status, submission, hold, created_at, upstream }) => ({
      id,
      organization,
      model,
      status,
      submission,
      hold_points: hold.points,
      age_seconds: Math.floor((deps.now() - created_at) / 1000),
      provider: upstream?.provider ?? null,
      upstream: upstream?.id ?? null,
    }));
}

/** Settles an expired task by what the operator has found out (`resolve`). Throws when it awaits nothing. */
export async function resolveHeld(
  deps: HeldDeps,
  id: string,
  seconds: number | undefined | null,
): Promise<{ id: string; organization: string; settled: boolean }> {
  const tasks = await Array.fromAsync(heldTasks(deps));
  const task = tasks.find((each) => each.id === id);
  if (!task) throw new Error(`no task ${id} holds anything`);
  const { organization, settled } = await resolve(task, seconds, deps);
  return { id, organization, settled };
}

async function* heldTasks({ accounts, meters, tasks }: HeldDeps): AsyncGenerator<Task> {
  const owners = new Map<string, string>();
  for await (const { id, subscription, wallet } of accounts.organizations()) {
    for (const metered of [subscription, wallet]) if (metered) owners.set(metered.meter, id);
  }
  for await (const { meter, tasks: held } of meters.everyMeter()) {
    const owner = owners.get(meter);
    for (const id of owner ? held.keys() : []) {
      const task = await tasks.find(owner ?? "", id);
      if (task && !task.settled) yield task;
    }
  }
}
