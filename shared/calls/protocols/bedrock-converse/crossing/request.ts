/** A neutral request as a body of Converse (protocols.md §8.1). The model and the wish for a stream stand in the path. */
import type { Fields } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatRequest, EncodedRequest, OutputFormat } from "../../../chat/request.ts";
import { closed } from "../../bounds/schemas.ts";
import type { RequestTarget } from "../../crossing.ts";
import type { ConverseBody } from "./body.ts";
import { withCachePoints } from "./cache-points.ts";
import { DocumentNames } from "./documents.ts";
import { stopPath } from "./ending.ts";
import { ownFields } from "./families.ts";
import { encodeTools } from "./tools.ts";
import { encodeText, encodeTurns } from "./turns.ts";

/** The body for a provider. Its maximum is the client's, or the model's if that is lower or alone. */
export function encodeRequest(request: ChatRequest, target: RequestTarget): EncodedRequest {
  const { traits = {} } = target;
  const dropped = new Set<string>();
  const maxTokens = Math.min(request.max_output_tokens ?? target.output_tokens, target.output_tokens);
  const own = ownFields(request, maxTokens, traits, dropped);
  const toolConfig = encodeTools(request, dropped);
  const textFormat = encodeFormat(request.format, dropped);
  const system = request.system.flatMap(encodeText);
  const messages = encodeTurns(request.messages, {
    names: new DocumentNames(),
    nests: traits.result_media !== false,
    mixes: traits.turns?.user_after_tool !== false,
    dropped,
  });
  const { guardrail } = traits;
  const { service_tier: type, speed: latency } = request.ways ?? {};
  for (const name of ["seed", "user"] as const) if (request[name] !== undefined) dropped.add(name);
  const body: ConverseBody = {
    messages,
    ...(system.length > 0 && { system }),
    inferenceConfig: {
      maxTokens,
      ...encodeSampling(request, own.samples, dropped),
      ...(request.stop.length > 0 && { stopSequences: request.stop }),
    },
    ...omitUndefined({ toolConfig }),
    ...(textFormat && { outputConfig: { textFormat } }),
    ...(Object.keys(own.fields).length > 0 && { additionalModelRequestFields: own.fields }),
    // Only so does an answer say which of them was met, and only Claude's does.
    ...(request.stop.length > 0 &&
      traits.family === "claude" && { additionalModelResponseFieldPaths: [stopPath] }),
    ...(type && { serviceTier: { type } }),
    ...(latency && { performanceConfig: { latency } }),
    ...(guardrail && {
      guardrailConfig: { guardrailIdentifier: guardrail.id, guardrailVersion: guardrail.version },
    }),
  };
  return {
    body: withCachePoints(body, target.places_points, traits.cache_points ?? []),
    dropped: [...dropped],
  };
}

/** Converse takes no temperature above 1. */
function encodeSampling({ temperature, top_p }: ChatRequest, samples: boolean, dropped: Set<string>): Fields {
  const sampling = omitUndefined({ temperature, topP: top_p });
  if (!samples) {
    if (temperature !== undefined) dropped.add("temperature");
    if (top_p !== undefined) dropped.add("top_p");
    return {};
  }
  if (temperature === undefined || temperature <= 1) return sampling;
  dropped.add("temperature");
  return { ...sampling, temperature: 1 };
}

/** The form of the answer. A bare "JSON" has no counterpart and is dropped by name: the prompt asks for it too. */
function encodeFormat(format: OutputFormat | undefined, dropped: Set<string>): Fields | undefined {
  if (format?.type === "json") dropped.add("format");
  if (format?.type !== "json_schema") return undefined;
  if (format.strict === false) dropped.add("format.strict");
  const jsonSchema = { schema: JSON.stringify(closed(format.schema)), name: format.name };
  return { type: "json_schema", structure: { jsonSchema } };
}
