/** Opens telemetry by its settings. This is loaded with the rest of the room, and only where an endpoint is named. */

import { tellerOf } from "./conventions.ts";
import { createExporter, type ExporterDeps } from "./exporter.ts";
import { createMetering } from "./metering.ts";
import { readTelemetry } from "./settings.ts";
import { sendAtOnce, sendInBatches } from "./sinks.ts";
import { createTaskTelling } from "./task-spans.ts";
import type { TaskTelling, Tracing, UsageMetrics } from "./trace.ts";
import { createTracing } from "./tracing.ts";

export interface TelemetryHost {
  env: NodeJS.ProcessEnv;
  /** Whether the process serves many calls and lives on after each of them. */
  isServer: boolean;
  /** Reads the headers that authenticate us to the collector, as the text of a JSON object. Undefined for none. */
  readHeaders: (() => Promise<string>) | undefined;
}

/** What a process tells with. Metering is undefined where the settings switch it off. Throws on bad settings. */
export function openTelemetry(
  { env, isServer, readHeaders }: TelemetryHost,
  deps: ExporterDeps,
): { tracing: Tracing; metering: UsageMetrics | undefined; telling: TaskTelling } {
  const { endpoint, sampling, metrics, resource } = readTelemetry(env);
  const headers = readHeaders && (async () => headersIn(await readHeaders()));
  const exporter = createExporter({ endpoint, headers }, deps);
  const teller = tellerOf({ "service.instance.id": crypto.randomUUID(), ...resource });
  const sink = isServer ? sendInBatches(teller, exporter, deps) : sendAtOnce(teller, exporter);
  const clock = { now: deps.now, startedAt: deps.now() };
  const metering = metrics ? createMetering(teller, exporter, clock) : undefined;
  return {
    tracing: createTracing(sampling, sink),
    metering,
    telling: createTaskTelling(teller, exporter, metering),
  };
}

/** Headers by their names. Throws without the message of a parser or of `fetch`, which would quote a secret. */
function headersIn(text: string): Record<string, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error("the telemetry secret is no JSON object of header names and values");
  const texts = Object.entries(parsed).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const headers = Object.fromEntries(texts.map(([name, value]) => [name, value.trim()]));
  try {
    new Headers(headers);
  } catch {
    throw new Error("the telemetry secret has a name or a value that cannot be a header");
  }
  return headers;
}
