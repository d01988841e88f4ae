/** What Gemini refuses of a request's settings. */
import { at, type Json, listOf, rulesFor, schemasIn, unknownKey, words } from "./rule.ts";

const everyModel = /^/;
const any = /^gemini-/;
const before3 = /^gemini-[12]\b/;
const withoutMinimal = /^gemini-3(?:\.1)?-pro|^gemini-3\.[78]-flash|^gemini-4-argon/;
const neverOff = /^gemini-(?:2\.5-pro|3(?:\.\d)?-pro)/;
const budgets: [models: RegExp, min: number, max: number][] = [
  [/^gemini-2\.5-pro/, 128, 32_768],
  [/^gemini-2\.5-flash-lite/, 512, 24_576],
  [/^gemini-2\.5-flash/, 1, 24_576],
];

const config = (body: Json, path: string) => at(body, `generationConfig.${path}`);
const budgetIn = (body: Json) => config(body, "thinkingConfig.thinkingBudget");
const levelIn = (body: Json) => config(body, "thinkingConfig.thinkingLevel");

const members = words(
  "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent labels",
  "store serviceTier model",
);
const settings = words(
  "temperature topP topK candidateCount maxOutputTokens stopSequences responseMimeType responseSchema",
  "responseJsonSchema responseFormat presencePenalty frequencyPenalty seed responseLogprobs logprobs",
  "thinkingConfig responseModalities mediaResolution speechConfig imageConfig",
  "enableEnhancedCivicAnswers audioTimestamp routingConfig modelSelectionConfig",
);
/** The fields of Google's `Schema`; what is none of them cannot be read. */
const schemaFields = words(
  "type format title description nullable enum items minItems maxItems properties required",
  "minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default",
  "minimum maximum",
);

const unknown = (key: string, path: string) =>
  `Invalid JSON payload received. Unknown name "${key}" at '${path}': Cannot find field.`;

export const geminiRules = rulesFor(any, {
  "unknown members": {
    source: "braintrustdata/braintrust-proxy#40",
    refuses: (body) => {
      const key = unknownKey(body, members);
      if (key) return `Invalid JSON payload received. Unknown name "${key}": Cannot find field.`;
      const setting = unknownKey(body.generationConfig, settings);
      return setting && unknown(setting, "generation_config");
    },
  },
  "a level before Gemini 3": {
    source: "RooCodeInc/Roo-Code#10700, juspay/neurolink#1707",
    models: before3,
    refuses: (body) => levelIn(body) !== undefined && "Thinking level is not supported for this model.",
  },
  "a level beside a budget": {
    source: "hexdocs.pm/gemini_ex (ThinkingConfig), Tom-Ryder/AgentRunKit#7; the sentence is paraphrased",
    refuses: (body) =>
      levelIn(body) !== undefined &&
      budgetIn(body) !== undefined &&
      "You can only set one of thinking budget and thinking level.",
  },
  "a level that the model lacks": {
    source: "vellum-ai/vellum-assistant#32687, checkmarble/llmberjack#14",
    models: withoutMinimal,
    refuses: (body) =>
      String(levelIn(body)).toUpperCase() === "MINIMAL" &&
      "Thinking level MINIMAL is not supported for this model.",
  },
  "an unknown level": {
    source: "Google's API reference",
    refuses: (body) => {
      const level = levelIn(body);
      const levels = ["MINIMAL", "LOW", "MEDIUM", "HIGH", "THINKING_LEVEL_UNSPECIFIED"];
      return (
        level !== undefined &&
        !levels.includes(String(level).toUpperCase()) &&
        `Invalid value at 'generation_config.thinking_config.thinking_level' (type.googleapis.com/google.ai.generativelanguage.v1beta.ThinkingConfig.ThinkingLevel), "${level}"`
      );
    },
  },
  "thinking turned off": {
    source: "docker/docker-agent#2051, vercel/ai#8027",
    models: neverOff,
    refuses: (body) => budgetIn(body) === 0 && "Budget 0 is invalid. This model only works in thinking mode.",
  },
  "a budget out of range": {
    source: "RooCodeInc/Roo-Code#4399, juspay/neurolink#1707",
    models: /^gemini-2\.5-/,
    refuses: (body, _, model) => {
      const budget = budgetIn(body);
      const [, min = 0, max = 0] = budgets.find(([models]) => models.test(model)) ?? [];
      if (typeof budget !== "number" || budget === -1 || (budget === 0 && !neverOff.test(model)))
        return undefined;
      return (
        (budget < min || budget > max) &&
        `The thinking budget (${budget}) is invalid. Please choose a value between ${min} and ${max}.`
      );
    },
  },
  "more than five stops": {
    source: "continuedev/continue#2702 and #7849",
    models: everyModel,
    refuses: (body) => {
      const stops = config(body, "stopSequences");
      return Array.isArray(stops) && stops.length > 5 && "The number of stop_sequences must not exceed 5.";
    },
  },
  "temperature above 2": {
    source: "modelparams.dev; Google's API reference",
    refuses: (body) =>
      Number(config(body, "temperature") ?? 0) > 2 &&
      "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].",
  },
  "keywords of a schema": {
    source: "brainlid/langchain#599, zendev-sh/goai#108, pizza-bot-app/pizza-bot#62",
    refuses: (body) => {
      const declared = listOf(body.tools).flatMap((tool, index) =>
        listOf(tool.functionDeclarations).flatMap((each, place) =>
          schemasIn(each.parameters, `tools[${index}].function_declarations[${place}].parameters`),
        ),
      );
      const answer = schemasIn(config(body, "responseSchema"), "generation_config.response_schema");
      for (const { schema, path } of [...declared, ...answer]) {
        const key = unknownKey(schema, schemaFields);
        if (key) return unknown(key, path);
      }
      return undefined;
    },
  },
});
