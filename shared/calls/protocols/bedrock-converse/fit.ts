/** A Converse body as one model takes it. */
import { parseExact } from "../../../base/json/exact.ts";
import { type Fields, isObject } from "../../../base/json/fields.ts";
import { mapItems } from "../../../base/json/map-items.ts";
import type { ReasoningForm, ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
import { createDraft, type Draft, type Fitted } from "../fitting/draft.ts";
import { fitSampling } from "../fitting/sampling.ts";
import { fitSchema } from "../fitting/schema.ts";
import { dropChoice, takesChoice } from "../fitting/tool-choice.ts";

const own = "additionalModelRequestFields";

const choices = new Map<string | undefined, ToolChoiceForm>([
  ["auto", "auto"],
  ["any", "required"],
  ["tool", "tool"],
]);

/** The body that a model with these traits takes, and what was changed for it. Without traits it is the same body. */
export function fitRequest(body: Fields, traits: Traits): Fitted {
  const draft = createDraft(body);
  const way = wayOf(draft, traits.reasoning);
  const choice = draft.at("toolConfig.toolChoice");
  const form = isObject(choice) ? choices.get(Object.keys(choice)[0]) : undefined;
  if (!takesChoice(form, traits, way)) dropChoice(draft, "toolConfig.toolChoice", form);
  const sampling = {
    temperature: "inferenceConfig.temperature",
    top_p: "inferenceConfig.topP",
    top_k: traits.family === "nova" ? `${own}.inferenceConfig.topK` : `${own}.top_k`,
  };
  fitSampling(draft, sampling, traits.sampling, way !== undefined);
  if (traits.stop_max === 0) draft.drop("inferenceConfig.stopSequences", "stop");
  fitFormat(draft, traits.schema);
  fitStrict(draft, traits.schema);
  return draft.fitted();
}

/** How the model reasons on a body; undefined where it does not. */
function wayOf(draft: Draft, takes: Traits["reasoning"]): ReasoningForm | undefined {
  const thinking = draft.at(`${own}.thinking.type`);
  if (thinking === "enabled") return "budget";
  if (thinking === "adaptive") return "adaptive";
  const effort = draft.at(`${own}.reasoningConfig.type`) ?? draft.at(`${own}.reasoning_effort`);
  if (effort !== undefined && effort !== "disabled") return "effort";
  const isOff = thinking === "disabled" || effort === "disabled";
  return takes?.always || (!isOff && takes?.by_default) ? (takes.forms[0] ?? "adaptive") : undefined;
}

const schemaPath = "outputConfig.textFormat.structure.jsonSchema.schema";

/** A schema that the model cannot be held to is left out. Converse has it as a text. */
function fitFormat(draft: Draft, takes: Traits["schema"]): void {
  const text = draft.at(schemaPath);
  if (!takes || typeof text !== "string") return;
  if (!takes.forms.includes("json_schema")) {
    draft.drop("outputConfig", "format");
    return;
  }
  if (!takes.refused?.length) return;
  draft.set(schemaPath, parseExact(text));
  fitSchema(draft, schemaPath, takes.refused);
  draft.set(schemaPath, JSON.stringify(draft.at(schemaPath)));
}

/** Tools that the model is held to, as far as it can be. */
function fitStrict(draft: Draft, takes: Traits["schema"]): void {
  const tools = draft.at("toolConfig.tools");
  if (!takes || !Array.isArray(tools)) return;
  const fitTool = (tool: unknown): unknown => {
    const inner = createDraft(isObject(tool) ? tool : {});
    if (inner.at("toolSpec.strict") !== true) return tool;
    if (!takes.forms.includes("json_schema")) inner.drop("toolSpec.strict", "tools.strict");
    else fitSchema(inner, "toolSpec.inputSchema.json", takes.refused);
    const { body, changes } = inner.fitted();
    for (const { own: at, neutral } of changes)
      draft.name(`toolConfig.tools.${at}`, neutral?.replace("format.schema", "tools.parameters"));
    return body;
  };
  draft.set("toolConfig.tools", mapItems(tools, fitTool));
}
