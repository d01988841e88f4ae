/** Where telemetry goes, by the variables that OpenTelemetry defines. Without an endpoint nothing of it is loaded. */
import type { Sampling } from "./sampling.ts";

/** The variables of OpenTelemetry that are read here. */
export const telemetryVariables = {
  endpoint: "OTEL_EXPORTER_OTLP_ENDPOINT",
  /** `parentbased_traceidratio` or `traceidratio`. */
  sampler: "OTEL_TRACES_SAMPLER",
  /** From 0 to 1. */
  ratio: "OTEL_TRACES_SAMPLER_ARG",
  /** `otlp` or `none`. */
  metrics: "OTEL_METRICS_EXPORTER",
  /** Pairs of `key=value` that are told of the process, with commas between them. */
  resource: "OTEL_RESOURCE_ATTRIBUTES",
} as const;

const samplers = ["parentbased_traceidratio", "traceidratio"] as const;

interface CollectorSettings {
  /** The base URL, without a slash at its end. */
  endpoint: string;
  sampling: Sampling;
  metrics: boolean;
  /** What is told of the process beside its name. */
  resource: Record<string, string>;
}

/** The settings of an environment that names an endpoint. Throws `Error` with what is wrong. */
export function readTelemetry(env: NodeJS.ProcessEnv): CollectorSettings {
  const names = telemetryVariables;
  const sampler = env[names.sampler] || samplers[0];
  if (!samplers.some((each) => each === sampler))
    throw new Error(`${names.sampler}=${sampler} is none of ${samplers.join(" and ")}`);
  const metrics = env[names.metrics] || "otlp";
  if (metrics !== "otlp" && metrics !== "none")
    throw new Error(`${names.metrics}=${metrics} is neither otlp nor none`);
  return {
    endpoint: readEndpoint(env[names.endpoint] ?? ""),
    sampling: { ratio: readRatio(env[names.ratio] || "1"), followsCaller: sampler === samplers[0] },
    metrics: metrics === "otlp",
    resource: readPairs(env[names.resource] ?? ""),
  };
}

/** A base URL, also one that was given with the path of traces. */
function readEndpoint(text: string): string {
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: "" };
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error(`${telemetryVariables.endpoint}=${text} is no URL of http or https`);
  return text.replace(/(?<!\/)\/+$/, "").replace(/\/v1\/traces$/, "");
}

function readRatio(text: string): number {
  const ratio = Number(text);
  if (!(ratio >= 0 && ratio <= 1))
    throw new Error(`${telemetryVariables.ratio}=${text} is no number from 0 to 1`);
  return ratio;
}

function readPairs(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => pair.split("="));
  return Object.fromEntries(
    pairs.flatMap(([key = "", value]) =>
      value === undefined ? [] : [[key.trim(), decodeURIComponent(value.trim())]],
    ),
  );
}
