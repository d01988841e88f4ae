/** The work that runs by itself: the schedules of sweep, seal and reconciler, their last passes, and the workflow of videos. */
import { type Check, type CheckFinding, counted, fail, ok, warn } from "./check.ts";
import { namesOf, outputOf, type StagePlace } from "./stage-place.ts";

/** A pass that a schedule makes, and the log line that tells of its end (functions/sweep.ts). */
interface Pass {
  name: string;
  line: string;
  /** After so many minutes without one, passes have failed. */
  everyMinutes: number;
  graceMinutes: number;
  /** How the log group's name begins in the template. */
  log: "SweepLogs" | "ConsoleLogs";
  /** What to do where it does not come. */
  action: string;
}

export const passes: readonly Pass[] = [
  {
    ...{ name: "last sweep", line: "swept", everyMinutes: 5, graceMinutes: 15, log: "SweepLogs" },
    action: "read the log of the sweep; operator sweep does the same by hand",
  },
  {
    ...{ name: "last seal", line: "sealed", everyMinutes: 60, graceMinutes: 130, log: "SweepLogs" },
    action: "read the log of the sweep; operator seal does the same by hand",
  },
  {
    ...{
      name: "last reconciliation",
      line: "reconciled",
      everyMinutes: 1,
      graceMinutes: 15,
      log: "ConsoleLogs",
    },
    action: "read the log of the console: payments whose notice was lost are not credited",
  },
];

export function jobChecks(place: StagePlace): Check[] {
  return [
    { name: "schedules", run: async () => await schedules(place) },
    ...passesOf(place).map((pass) => ({
      name: pass.name,
      run: async () =>
        judgePass(pass, await lastLine(pass, place), place.stack.CreationTime?.getTime(), place.now()),
    })),
    { name: "video workflow", run: async () => await workflow(place) },
  ];
}

/** The passes of a stage, which may have no console. */
function passesOf(place: StagePlace): Pass[] {
  return passes.filter(({ log }) => log !== "ConsoleLogs" || outputOf(place, "consoleUrl") !== undefined);
}

/** What the time of the last pass says. `since` is when the gateway was made, both in Unix milliseconds. */
export function judgePass(
  pass: Pass,
  at: number | undefined,
  since: number | undefined,
  now: number,
): CheckFinding {
  const { everyMinutes, graceMinutes, action } = pass;
  const spans: Record<number, string> = { 1: "every minute", 60: "every hour" };
  const every = spans[everyMinutes] ?? `every ${everyMinutes} minutes`;
  if (at !== undefined) return ok(`it ended ${new Date(at).toISOString()}, and comes ${every}`);
  if (since !== undefined && now - since < graceMinutes * 60_000) {
    return ok(
      `none yet since ${new Date(since).toISOString()}, when the gateway was made; it comes ${every}`,
    );
  }
  return fail(`none in the last ${graceMinutes} minutes, and it comes ${every}`, action);
}

/** When the last line of a pass was written, within its grace. */
async function lastLine({ line, graceMinutes, log }: Pass, place: StagePlace): Promise<number | undefined> {
  const [logGroupName] = namesOf(place, "AWS::Logs::LogGroup", log);
  if (!logGroupName) throw new Error(`the stack has no log group ${log}`);
  let last: number | undefined;
  let nextToken: string | undefined;
  do {
    const page = await place.ask("logs:FilterLogEvents", {
      logGroupName,
      startTime: place.now() - graceMinutes * 60_000,
      filterPattern: `{ $.event = "${line}" }`,
      ...(nextToken !== undefined && { nextToken }),
    });
    for (const { timestamp = 0 } of page.events ?? []) last = Math.max(last ?? 0, timestamp);
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return last;
}

async function schedules(place: StagePlace): Promise<CheckFinding> {
  const names = namesOf(place, "AWS::Events::Rule");
  const states = await Promise.all(
    names.map(async (Name) => (await place.ask("events:DescribeRule", { Name })).State ?? "unknown"),
  );
  const off = names.flatMap((name, at) =>
    states[at]?.startsWith("ENABLED") ? [] : [`${name} is ${states[at]}`],
  );
  if (off.length > 0) return fail(off.join("; "), "enable it with aws events enable-rule --name NAME");
  return ok(`${counted(names.length, "rule")} of EventBridge are enabled`);
}

async function workflow(place: StagePlace): Promise<CheckFinding> {
  const [stateMachineArn] = namesOf(place, "AWS::StepFunctions::StateMachine");
  if (!stateMachineArn) return fail("the stack has no state machine", "deploy the stage again");
  const { status = "unknown" } = await place.ask("states:DescribeStateMachine", { stateMachineArn });
  return status === "ACTIVE"
    ? ok("its state machine is ACTIVE")
    : warn(`its state machine is ${status}`, "deploy the stage again: no video can be started");
}
