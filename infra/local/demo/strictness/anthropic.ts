/** What Claude refuses of a request's parameters. Sentences in quotation marks are Anthropic's own. */
import { at, isObject, isOther, type Json, listOf, rulesFor, schemasIn, unknownKey, words } from "./rule.ts";

const any = /^claude-/;
/** They decide themselves how much to think: budgets and sampling are gone. */
const adaptiveOnly = /^claude-(?:opus-4-[78]|opus-5|sonnet-5|haiku-5|fable-5|mythos-5)/;
const alwaysThinking = /^claude-(?:(?:fable|mythos)-5|(?:opus|sonnet)-5-5)/;
const beforeAdaptive = /^claude-(?:3-|(?:haiku|sonnet|opus)-4-(?:[0-5](?:-|$)|2025))/;
const beforeEffort = /^claude-(?:3-|haiku-4-5|(?:sonnet|opus)-4-(?:[01](?:-|$)|2025)|sonnet-4-5)/;
const withoutXhigh = /^claude-(?:opus-4-[56]|sonnet-4-6)/;
const oneSampler = /^claude-(?:opus-4-[156]|sonnet-4-[56]|haiku-4-5)/;
const withSampling = /^claude-(?:3-|haiku-4|sonnet-4|opus-4-[0-6](?:-|$)|opus-4-2025)/;

const thinkingType = (body: Json) => at(body, "thinking.type");
const isThinking = (body: Json) => ["enabled", "adaptive"].includes(String(thinkingType(body)));

const members = words(
  "model messages max_tokens system stream stop_sequences metadata tools tool_choice thinking",
  "output_config temperature top_p top_k service_tier cache_control container context_management",
  "mcp_servers inference_geo speed betas output_format",
);

const samplers = ["temperature", "top_p", "top_k"] as const;

export const anthropicRules = rulesFor(any, {
  "unknown members": {
    source: "decolua/9router#1468; the message in Anthropic's migration guide",
    refuses: (body) => {
      const key = unknownKey(body, members);
      return key && `${key}: Extra inputs are not permitted`;
    },
  },
  "no max_tokens": {
    source: "Anthropic's API reference",
    refuses: (body) => at(body, "max_tokens") === undefined && "max_tokens: Field required",
  },
  "sampling in the version of 2026-10-21": {
    source: "Anthropic's migration guide; ttlequals0/MinusPod v2.101.10",
    refuses: (body, headers) => {
      const key = samplers.find((name) => at(body, name) !== undefined);
      const isNew = String(headers["anthropic-version"] ?? "") >= "2026-10-21";
      return isNew && key && `${key}: Extra inputs are not permitted`;
    },
  },
  effort: {
    source: "Oaklight/llm-rosetta#289, TauricResearch/TradingAgents#831",
    models: beforeEffort,
    refuses: (body) =>
      at(body, "output_config.effort") !== undefined && "This model does not support the effort parameter.",
  },
  "an unknown word for effort": {
    source: "Anthropic's API reference",
    refuses: (body) =>
      isOther(at(body, "output_config.effort"), words("low medium high xhigh max")) &&
      "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  },
  xhigh: {
    source: "NousResearch/hermes-agent#11189",
    models: withoutXhigh,
    refuses: (body) =>
      at(body, "output_config.effort") === "xhigh" &&
      "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  },
  "adaptive thinking": {
    source: "diegosouzapw/OmniRoute#1563 and #4713",
    models: beforeAdaptive,
    refuses: (body) =>
      thinkingType(body) === "adaptive" && "adaptive thinking is not supported on this model",
  },
  "a budget where thinking is adaptive": {
    source: "NousResearch/hermes-agent#11137, Kilo-Org/kilocode#11194",
    models: adaptiveOnly,
    refuses: (body) =>
      thinkingType(body) === "enabled" &&
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  },
  "thinking turned off": {
    source: "ex-machina-co/opencode-anthropic-auth#159, cline/cline#13203",
    models: alwaysThinking,
    refuses: (body) =>
      thinkingType(body) === "disabled" &&
      '"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive mode when not specified; use "thinking.type.enabled" with "budget_tokens" for extended thinking.',
  },
  "a budget below 1024": {
    source: "themaximalist/llm.js#30",
    refuses: (body) =>
      thinkingType(body) === "enabled" &&
      !(Number(at(body, "thinking.budget_tokens")) >= 1024) &&
      "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  },
  "a budget above max_tokens": {
    source: "Anthropic's extended thinking guide",
    refuses: (body, headers) =>
      thinkingType(body) === "enabled" &&
      Number(at(body, "thinking.budget_tokens")) >= Number(at(body, "max_tokens")) &&
      !String(headers["anthropic-beta"] ?? "").includes("interleaved-thinking") &&
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
  },
  "sampling where it is gone": {
    source: "pollinations/pollinations#11319, The-PR-Agent/pr-agent#2456; a temperature of 1 is still taken",
    models: adaptiveOnly,
    refuses: (body) => {
      const given = samplers.find((name) => at(body, name) !== undefined && !isDefault(body, name));
      return given && `\`${given}\` is deprecated for this model.`;
    },
  },
  "temperature beside top_p": {
    source: "iOfficeAI/AionUi#912, aws-samples/bedrock-access-gateway#238",
    models: oneSampler,
    refuses: (body) =>
      at(body, "temperature") !== undefined &&
      at(body, "top_p") !== undefined &&
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
  },
  "sampling beside thinking": {
    source: "Anthropic's extended thinking guide; modelparams.dev",
    models: withSampling,
    refuses: (body) => {
      if (!isThinking(body)) return undefined;
      if (!isDefault(body, "temperature"))
        return "`temperature` may only be set to 1 when thinking is enabled.";
      if (at(body, "top_k") !== undefined) return "`top_k` must be unset when thinking is enabled.";
      const top = at(body, "top_p");
      return (
        top !== undefined &&
        Number(top) < 0.95 &&
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."
      );
    },
  },
  "temperature above 1": {
    source: "vercel/ai anthropic-language-model.ts",
    models: withSampling,
    refuses: (body) =>
      Number(at(body, "temperature") ?? 0) > 1 && "temperature: Input should be less than or equal to 1",
  },
  "a forced tool beside a budget": {
    source: "pydantic/pydantic-ai#3092, vercel/ai#17729; adaptive thinking takes it (pydantic-ai#7200)",
    refuses: (body) =>
      thinkingType(body) === "enabled" &&
      ["any", "tool"].includes(String(at(body, "tool_choice.type"))) &&
      "Thinking may not be enabled when tool_choice forces tool use.",
  },
  "keywords of a schema": {
    source: "agentjido/req_llm#302, CherryHQ/cherry-studio#18037",
    refuses: (body) =>
      refusedKeywords(at(body, "output_config.format.schema"), "output_config.format.schema") ??
      listOf(body.tools)
        .map((tool, index) =>
          tool.strict === true ? refusedKeywords(tool.input_schema, `tools.${index}.custom`) : undefined,
        )
        .find(Boolean),
  },
  "open objects in a schema": {
    source: "Anthropic's structured outputs guide",
    refuses: (body) => {
      const open = schemasIn(at(body, "output_config.format.schema"), "").some(
        ({ schema }) => schema.type === "object" && schema.additionalProperties !== false,
      );
      return (
        open &&
        "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
      );
    },
  },
});

/** A value that a refusal of the parameter lets through. */
function isDefault(body: Json, name: string): boolean {
  const value = at(body, name);
  return value === undefined || (name === "temperature" && value === 1);
}

/** By type, as the vendor names them. */
const keywords: Record<string, readonly string[]> = {
  integer: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
  number: ["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"],
  string: ["maxLength", "minLength"],
  array: ["maxItems", "uniqueItems"],
  object: ["maxProperties", "minProperties"],
};

function refusedKeywords(root: unknown, path: string): string | undefined {
  for (const { schema } of schemasIn(root, "")) {
    const types = [schema.type].flat().filter((type) => type !== "null");
    const type = types.find((each) => typeof each === "string" && Object.hasOwn(keywords, each)) as string;
    const found = (keywords[type] ?? []).filter((key) => isObject(schema) && Object.hasOwn(schema, key));
    if (found.length === 1) return `${path}: For '${type}' type, property '${found[0]}' is not supported`;
    if (found.length > 1)
      return `${path}: For '${type}' type, properties ${found.join(", ")} are not supported`;
  }
  return undefined;
}
