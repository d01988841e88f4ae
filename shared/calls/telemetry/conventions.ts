/** The names of telemetry: OpenTelemetry's conventions 1.41.1, and our own with `model_gateway.` (README.md "Names"). */
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { Teller } from "./otlp.ts";

const version = "1.41.1";

/** Who tells, in a process with these attributes of its own. */
export function tellerOf(resource: Record<string, string>): Teller {
  return {
    resource: { "service.name": "model-gateway", ...resource },
    scope: { name: "model-gateway", version: "1" },
    schemaUrl: `https://opentelemetry.io/schemas/${version}`,
  };
}

/** Providers of the catalog that the conventions know by another name. All others keep the name of the catalog. */
const knownProviders: Record<string, string> = {
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};

/** `gen_ai.provider.name` of a provider of the catalog. */
export function providerName(provider: string): string {
  return (Object.hasOwn(knownProviders, provider) && knownProviders[provider]) || provider;
}

/** `gen_ai.operation.name` of a call, whichever protocol it came in. */
export function operationName(kind: UsageEvent["kind"]): string {
  if (kind === "chat") return "chat";
  return kind === "embedding" ? "embeddings" : "generate_content";
}

/** `gen_ai.output.type` where it follows from the kind of the call. */
export function outputType(kind: UsageEvent["kind"]): string | undefined {
  if (kind === "image") return "image";
  return kind === "video" ? "video" : undefined;
}

/** The bounds of the histograms of seconds, and of those of tokens. */
export const secondsBounds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
] as const;
export const tokenBounds = Array.from({ length: 14 }, (_, power) => 4 ** power);
