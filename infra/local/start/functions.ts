/** The functions of a local gateway, and what invokes them: queues and schedules. */
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Sampler } from "../dashboard/sampler.ts";
import { type EventSourcePoller, startEventSource } from "../emulators/event-source.ts";
import { type LocalFunction, startFunction } from "../emulators/lambda.ts";
import { startOnThisThread } from "../emulators/one-thread.ts";
import { startSchedule } from "../emulators/schedule.ts";
import { alwaysMs, isSeldom, startWhenInvoked } from "../emulators/seldom.ts";
import { environmentOf } from "../stack/function-environment.ts";
import { inGroup, openLog } from "../stack/log-file.ts";
import type { Endpoints } from "../stack/ready-file.ts";
import type { FunctionResource, StackResources } from "../stack/resources.ts";
import type { Observer } from "./observer.ts";
import type { StartSettings } from "./settings.ts";
import { shortLines } from "./terminal.ts";

/** How long calls in flight may take to end before they are cut. */
const graceMs = 1_000;

/** By their names. */
export type Functions = ReadonlyMap<string, LocalFunction>;

/** What functions are told that only this machine knows. */
interface MachineSettings extends Pick<StartSettings, "isolated" | "telemetry" | "verbose"> {
  /** The addresses that the console's function is told instead of those in the template. It asks when it starts. */
  addresses: () => Record<string, string>;
  /** Waits for the bundle in a folder; undefined where all are there. */
  whenBundled: ((directory: string) => Promise<void>) | undefined;
}

/** Threads that nothing keeps busy start when they are needed. `sampler` counts the invocations of all but fronts. */
export async function startFunctions(
  { functions, eventSources }: StackResources,
  endpoints: Endpoints,
  { isolated, telemetry, verbose, addresses, whenBundled }: MachineSettings,
  parts: AsyncDisposableStack,
  { lost }: Pick<Observer, "lost">,
  sampler?: Sampler,
): Promise<Functions> {
  const keep = openLog(endpoints.log);
  const append = (lines: string): void => {
    const printed = verbose ? lines : shortLines(lines);
    if (printed !== "") process.stdout.write(printed);
    keep(lines);
  };
  const start = (resource: FunctionResource): LocalFunction | Promise<LocalFunction> => {
    const { hasUrl, logGroup } = resource;
    const onOutput = inGroup(logGroup, append);
    const environment = { ...environmentOf(resource.environment, endpoints), ...telemetry };
    if (hasUrl && !isolated) return startOnThisThread(resource, endpoints.assembly, environment, onOutput);
    const begin = async () => {
      await whenBundled?.(resource.directory);
      const own = resource.hasBufferedUrl ? { ...environment, ...addresses() } : environment;
      return startFunction(resource, own, lost, process.stderr, onOutput);
    };
    if (isSeldom(resource, eventSources, endpoints.usageQueueUrl)) return startWhenInvoked(begin);
    // Nothing has to be booked until a call is over, so no start waits for settle's thread. Once it is there, it stays.
    return hasUrl ? begin() : startWhenInvoked(begin, alwaysMs);
  };
  const started = await Promise.all(
    functions.map(async (resource): Promise<[string, LocalFunction]> => {
      const local = await start(resource);
      parts.defer(() => local.stop(graceMs));
      return [resource.name, sampler && !resource.hasUrl ? sampler.watch(resource.name, local) : local];
    }),
  );
  return new Map(started);
}

export function functionNamed(functions: Functions, name: string): LocalFunction {
  const found = functions.get(name);
  if (!found) throw new Error(`template: there is no function ${name}`);
  return found;
}

export function startEventSources(
  { eventSources }: StackResources,
  functions: Functions,
  aws: Aws,
  { queueWaitScale }: StartSettings,
  parts: AsyncDisposableStack,
  { warn }: Pick<Observer, "warn">,
): EventSourcePoller[] {
  return eventSources.map((source) => {
    const target = functionNamed(functions, source.functionName);
    const poller = startEventSource(source, aws, (event) => target.invoke(event), {
      scale: queueWaitScale,
      report: warn,
    });
    parts.defer(poller.stop);
    return poller;
  });
}

/** Runs all schedules but the console's. No call of the dead process is alive, so holds of any age may be closed. */
export async function catchUp(
  { schedules, functions: all }: StackResources,
  functions: Functions,
): Promise<void> {
  // The console learns where the gateway is when it starts, and its schedule comes within a minute.
  const early = new Set(all.filter(({ hasBufferedUrl }) => !hasBufferedUrl).map(({ name }) => name));
  for (const { functionName, input } of schedules.flatMap(({ targets }) => targets)) {
    if (!early.has(functionName)) continue;
    await functionNamed(functions, functionName).invoke({ ...(input as object), older_than_seconds: 0 });
  }
}

export function startSchedules(
  { schedules }: StackResources,
  functions: Functions,
  parts: AsyncDisposableStack,
  { warn }: Pick<Observer, "warn">,
): void {
  for (const { expression, targets } of schedules) {
    const run = () => {
      for (const { functionName, input } of targets) {
        functionNamed(functions, functionName).invoke(input).catch(warn);
      }
    };
    parts.defer(startSchedule(expression, run));
  }
}
