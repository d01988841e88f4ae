/** The operator's commands on video tasks. */
import { createAccounts } from "#shared/store/accounts.ts";
import { createMeters } from "#shared/store/meters/meters.ts";
import { createTasks } from "#shared/store/tasks.ts";
import { listUnsettled, resolveUnsettled, type UnsettledDeps } from "#shared/tasks/unsettled-tasks.ts";
import { type Call, type Command, logAside } from "./operator-call.ts";

async function depsOf({ place }: Call): Promise<UnsettledDeps> {
  const { aws, tables } = await place();
  return {
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    tasks: createTasks(aws, tables),
    log: logAside,
    now: Date.now,
  };
}

/** The seconds a task is charged for: undefined is what was asked, null is nothing. */
function secondsOf({ flags }: Call): number | undefined | null {
  const { succeeded, failed, seconds } = flags;
  if (Boolean(succeeded) === Boolean(failed)) throw new Error("give either --succeeded or --failed");
  if (failed && seconds !== undefined) throw new Error("--seconds goes with --succeeded");
  if (failed) return null;
  if (seconds === undefined) return undefined;
  if (typeof seconds !== "string" || !/^[1-9]\d{0,3}$/.test(seconds))
    throw new Error("--seconds takes whole seconds");
  return Number(seconds);
}

export const taskCommands: Record<string, Command> = {
  "task list": {
    synopsis: "[--expired] (video tasks that still hold something; --expired: those that await a verdict)",
    run: async (call) => ({
      value: await listUnsettled(call.flags["expired"] === true, await depsOf(call)),
      ok: true,
    }),
  },
  "task resolve": {
    synopsis: "ID --succeeded [--seconds N]|--failed (settles a task that expired without a verdict)",
    async run(call) {
      const seconds = secondsOf(call);
      const [id = ""] = call.operands;
      return { value: await resolveUnsettled(id, seconds, await depsOf(call)), ok: true };
    },
  },
};
