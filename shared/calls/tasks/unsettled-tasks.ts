/** The tasks whose hold is not settled, found by way of the meters, for an operator to list and decide on. */
import type { Accounts } from "../../books/accounts/account.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { MeterList } from "../../books/meters/meter.ts";
import { type EndDeps, resolve } from "./end.ts";
import type { Task } from "./task.ts";

export interface UnsettledDeps extends EndDeps {
  accounts: Pick<Accounts, "organizations">;
  meters: MeterList<"meter" | "tasks">;
}

/** Every task whose hold is not settled; with `expired`, only those that await an operator's decision. */
export async function listUnsettled(expired: boolean, deps: UnsettledDeps) {
  const found = await Array.fromAsync(unsettledTasks(deps));
  return found
    .filter(({ status }) => !expired || status === "expired")
    .map(({ id, organization, model, status, submission, hold, created_at, upstream }) => ({
      id,
      organization,
      model,
      status,
      submission,
      hold_points: formatPoints(hold.points),
      age_seconds: Math.floor((deps.now() - created_at) / 1000),
      provider: upstream?.provider ?? null,
      // To ask the provider by.
      upstream: upstream?.id ?? null,
    }));
}

/** Settles an expired task by an operator's decision (`resolve`). Throws where the task awaits none. */
export async function resolveUnsettled(
  id: string,
  seconds: number | undefined | null,
  deps: UnsettledDeps,
): Promise<{ id: string; organization: string; settled: boolean }> {
  const tasks = await Array.fromAsync(unsettledTasks(deps));
  const task = tasks.find((each) => each.id === id);
  if (!task) throw new Error(`no task ${id} holds anything`);
  const { organization, settled } = await resolve(task, seconds, deps);
  return { id, organization, settled };
}

async function* unsettledTasks({ accounts, meters, tasks }: UnsettledDeps): AsyncGenerator<Task> {
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
