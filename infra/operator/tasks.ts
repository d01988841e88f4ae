/** The operator's commands on video tasks. */

import { listUnsettled, resolveUnsettled, type UnsettledDeps } from "#shared/calls/tasks/unsettled-tasks.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { type CommandCall, type CommandGroup, command, flagOf, onOff } from "./command.ts";
import { logAside, storesOf } from "./stores.ts";

async function depsOf(call: Pick<CommandCall, "place">): Promise<UnsettledDeps> {
  const { connection, accounts, meters, now } = await storesOf(call);
  return { accounts, meters, tasks: createTasks(connection.aws, connection.tables), log: logAside, now };
}

const list = command({
  words: "task list",
  what: "lists video tasks that still hold something",
  flags: { expired: onOff("only those that expired without a verdict, and wait for yours") },
  examples: { "--expired": "tasks to ask their provider about" },
  run: async (call) => ({ value: await listUnsettled(call.flags.expired, await depsOf(call)) }),
});

const resolve = command({
  words: "task resolve",
  what: "settles a task that expired without a verdict, as you say",
  more: "Ask the provider first, by the id that task list shows. Give either --succeeded or --failed.",
  operands: [
    { name: "ID", what: "the task's id, VTK-…", missing: "give the id of the task; task list shows it" },
  ],
  flags: {
    succeeded: onOff("the video was made, and is charged"),
    failed: onOff("there is no video, and nothing is charged"),
    seconds: flagOf("N", "how long the video is; as was asked for if not given", videoSeconds),
  },
  examples: {
    "VTK-01M81Z5H6R6E3CQBCFXFYS02HZ --succeeded --seconds 5": "charged for 5 seconds",
    "VTK-01M81Z5H6R6E3CQBCFXFYS02HZ --failed": "its hold goes back",
  },
  forGood: ({ operand, flags }) =>
    `The task ${operand} is settled as ${flags.failed ? "failed: nothing is charged" : "succeeded: it is charged"}. That is final.`,
  async run(call) {
    const charged = chargedSeconds(call.flags);
    return { value: await resolveUnsettled(call.operand, charged, await depsOf(call)) };
  },
});

function videoSeconds(text: string, name: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${name} takes whole seconds`);
  return Number(text);
}

/** The seconds a task is charged for: undefined is what was asked, null is nothing. */
function chargedSeconds(flags: {
  succeeded: boolean;
  failed: boolean;
  seconds: number | undefined;
}): number | undefined | null {
  if (flags.succeeded === flags.failed) throw new Error("give either --succeeded or --failed");
  if (!flags.failed) return flags.seconds;
  if (flags.seconds !== undefined) throw new Error("--seconds goes with --succeeded");
  return null;
}

export const tasks: CommandGroup = { title: "Video tasks", commands: [list, resolve] };
