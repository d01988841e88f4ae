/** The stack of a stage: its state, its protection, and whether Lambda has room for its functions. */

import { unreservedMin } from "../../stage/concurrency.ts";
import { isCreated, isLost } from "../../stage/first-deployment.ts";
import { stackName } from "../../stage/outputs.ts";
import { type Check, counted, fail, ok, unknown, warn } from "./check.ts";
import { isKept, namesOf, type StagePlace } from "./stage-place.ts";

export function stackChecks(place: StagePlace): Check[] {
  return [stateCheck(place), protectionCheck(place), concurrencyCheck(place)];
}

/** Where there is no stack, nothing else of the stage can be looked at. */
export function noStack(stage: string, region: string): Check {
  return {
    name: "stack",
    run: () =>
      fail(
        `there is no stack ${stackName(stage)} in ${region}`,
        `deploy it with npm run deploy -- -c stage=${stage}, or give another --stage or AWS_REGION`,
      ),
  };
}

function stateCheck({ stack, stage }: StagePlace): Check {
  const { StackStatus: state = "unknown" } = stack;
  const seen = `${stackName(stage)} is ${state}`;
  return {
    name: "stack",
    run() {
      if (state.endsWith("_IN_PROGRESS")) return warn(seen, "wait for the deployment that runs");
      if (state === "UPDATE_ROLLBACK_COMPLETE") {
        return warn(
          `${seen}: the last deployment failed, and the stage is as before it`,
          "remove the cause and deploy again",
        );
      }
      if (isLost(stack) || !isCreated(stack) || state.endsWith("_FAILED")) {
        return fail(seen, "infra/README.md says what to do if a deployment fails");
      }
      return ok(`${seen} since ${(stack.LastUpdatedTime ?? stack.CreationTime)?.toISOString()}`);
    },
  };
}

function protectionCheck({ stack, stage }: StagePlace): Check {
  return {
    name: "protection",
    run() {
      if (stack.EnableTerminationProtection) return ok("AWS refuses to delete the stack");
      return isKept(stage)
        ? warn("the stack can be deleted by one command", `deploy ${stage} again without protection=off`)
        : ok("this stage may be deleted");
    },
  };
}

/** The sweep, a step of a video, and a second one of each. */
const othersMin = 4;

/** Whether calls leave room for the functions that settle them (infra/README.md "Settings of a stage"). */
function concurrencyCheck(place: StagePlace): Check {
  return {
    name: "concurrency",
    async run() {
      const [gateway] = namesOf(place, "AWS::Lambda::Function", "Gateway");
      const [console] = namesOf(place, "AWS::Lambda::Function", "Console");
      const [{ AccountLimit }, cap, share, workers] = await Promise.all([
        place.ask("lambda:GetAccountSettings", {}),
        gateway ? reservedOf(place, gateway) : undefined,
        console ? reservedOf(place, console) : 0,
        workersOf(place),
      ]);
      const { ConcurrentExecutions: most, UnreservedConcurrentExecutions: shared = 0 } = AccountLimit ?? {};
      if (most === undefined)
        return unknown("AWS does not say how many functions may run at a time", "run it again");
      const needs = workers + othersMin;
      const seen = `the account may run ${most} functions at a time; ${cap === undefined ? "the gateway has no cap" : `the gateway at most ${cap}`}; ${counted(needs, "other")} must have room`;
      const raise = "ask AWS for more: service quota L-B99A9384, concurrent executions";
      if (shared < needs) return fail(`${seen}, and ${shared} are left to them`, raise);
      if (gateway === undefined || cap !== undefined) return ok(seen);
      if (share === undefined)
        return warn(
          `${seen}: a flood of sign-ins may take all of them, and no call gets in meanwhile`,
          "give the file of the stage a console.concurrency, or a gatewayConcurrency",
        );
      const room = most - unreservedMin;
      return warn(
        `${seen}: long calls may take all of them, and nothing is settled meanwhile`,
        room > 0 ? `give the file of the stage a gatewayConcurrency of at most ${room}` : raise,
      );
    },
  };
}

async function reservedOf({ ask }: StagePlace, FunctionName: string): Promise<number | undefined> {
  return (await ask("lambda:GetFunctionConcurrency", { FunctionName })).ReservedConcurrentExecutions;
}

/** How many functions the queues may run at a time. */
async function workersOf(place: StagePlace): Promise<number> {
  const mappings = namesOf(place, "AWS::Lambda::EventSourceMapping");
  const most = await Promise.all(
    mappings.map(async (UUID) => {
      const { ScalingConfig } = await place.ask("lambda:GetEventSourceMapping", { UUID });
      return ScalingConfig?.MaximumConcurrency ?? 0;
    }),
  );
  return most.reduce((sum, each) => sum + each, 0);
}
