/** Where a stage sends telemetry (telemetry.md). The collector's headers stand in a secret, never in the environment. */
import { RemovalPolicy } from "aws-cdk-lib";
import { Construct } from "constructs";
import { telemetryVariables } from "#shared/calls/telemetry/settings.ts";
import type { TelemetrySettings } from "../stage/stage.ts";
import { type Grantee, useSecret } from "./grants.ts";
import { createEmptySecret, type StageSecret } from "./secrets.ts";

/** One call in a hundred. */
const sampleUsual = 0.01;

export class Telemetry extends Construct {
  readonly headers: StageSecret;
  readonly #environment: Record<string, string>;

  constructor(scope: Construct, id: string, stage: string, settings: TelemetrySettings) {
    super(scope, id);
    this.headers = createEmptySecret(this, "Headers", {
      description:
        "JSON object of the headers that every request to the telemetry collector has. Operators fill it in.",
      // Whoever switches telemetry off has no more use for it, and its values are the collector's to give again.
      removalPolicy: RemovalPolicy.DESTROY,
      unrotated: "The collector's keys are issued by its operator, and are rotated there.",
    });
    this.#environment = environmentOf(stage, settings);
  }

  /** Lets a function tell the collector. */
  letTell(grantee: Grantee): void {
    for (const [name, value] of Object.entries(this.#environment)) grantee.addEnvironment(name, value);
    useSecret(grantee, "telemetrySecret", this.headers);
  }
}

function environmentOf(
  stage: string,
  { endpoint, sample = sampleUsual, sampler = "parentbased_traceidratio", metrics = true }: TelemetrySettings,
): Record<string, string> {
  return {
    [telemetryVariables.endpoint]: endpoint,
    [telemetryVariables.sampler]: sampler,
    [telemetryVariables.ratio]: String(sample),
    [telemetryVariables.metrics]: metrics ? "otlp" : "none",
    [telemetryVariables.resource]: `deployment.environment.name=${stage}`,
  };
}
