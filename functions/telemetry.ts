/**
 * Opens telemetry for a function or a server, if its environment names a collector (shared/calls/telemetry/README.md).
 */
import type { Aws } from "#shared/base/platform/aws.ts";
import { variables } from "#shared/base/platform/env.ts";
import { describeError, type Log } from "#shared/base/platform/log.ts";
import { keptSecret } from "#shared/base/platform/secrets.ts";
import type { openTelemetry } from "#shared/calls/telemetry/open-telemetry.ts";

/** The process that tells. */
interface TelemetryProcess {
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Whether it serves many calls and lives on after each of them. */
  isServer?: boolean;
}

type ProcessTelemetry = ReturnType<typeof openTelemetry>;

/**
 * Telemetry of a process, or undefined where no collector is named. Its code is loaded beside the rest of the start.
 * With settings that are wrong the promise gives undefined, and a log line says what is wrong: calls are served then.
 */
export function startTelemetry(
  { env, log, isServer = false }: TelemetryProcess,
  aws: Aws,
): Promise<ProcessTelemetry | undefined> | undefined {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  const id = env[variables.telemetrySecret];
  const open = async () => {
    const { openTelemetry: opened } = await import("#shared/calls/telemetry/open-telemetry.ts");
    const readHeaders = id ? keptSecret(aws, id, log) : undefined;
    return opened({ env, isServer, readHeaders }, { fetch, log, now: Date.now });
  };
  return open().catch((error: unknown) => {
    log("error", "telemetry_off", { error: describeError(error) });
    return undefined;
  });
}
