import { describe, expect, it } from "vitest";
import { readTelemetry } from "#shared/calls/telemetry/settings.ts";

const endpoint = "https://collector.example";
const read = (env: Record<string, string>) =>
  readTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env });

describe("the settings of telemetry", () => {
  it("need an endpoint alone", () => {
    expect(read({})).toEqual({
      endpoint,
      sampling: { ratio: 1, followsCaller: true },
      metrics: true,
      resource: {},
    });
  });

  it("are read from the variables of OpenTelemetry", () => {
    expect(
      read({
        OTEL_TRACES_SAMPLER: "traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.25",
        OTEL_METRICS_EXPORTER: "none",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=prod, team=a%20b",
      }),
    ).toEqual({
      endpoint,
      sampling: { ratio: 0.25, followsCaller: false },
      metrics: false,
      resource: { "deployment.environment.name": "prod", team: "a b" },
    });
  });

  it.each([`${endpoint}/`, `${endpoint}/v1/traces`, `${endpoint}/v1/traces/`])(
    "take %s as its base",
    (given) => {
      expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: given }).endpoint).toBe(endpoint);
    },
  );

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, "no URL of http or https"],
    [{ OTEL_TRACES_SAMPLER: "always_on" }, "parentbased_traceidratio and traceidratio"],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "no number from 0 to 1"],
    [{ OTEL_TRACES_SAMPLER_ARG: "all" }, "no number from 0 to 1"],
    [{ OTEL_METRICS_EXPORTER: "prometheus" }, "neither otlp nor none"],
  ] as const)("that are wrong say so: %j", (env, message) => {
    expect(() => read(env)).toThrow(message);
  });
});
