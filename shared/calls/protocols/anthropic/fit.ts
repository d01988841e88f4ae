/** An Anthropic messages body as one model takes it. */

import { type Fields, isObject } from "../../../base/json/fields.ts";
import type { ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
import { createDraft, type Draft, type Fitted } from "../fitting/draft.ts";
import { type BodyInputs, inputAt, inputOfUrl, kindOf, type MediaInput, stopAt } from "../fitting/inputs.ts";
import { fitSampling, type SamplingFields } from "../fitting/sampling.ts";
import { fitSchema, fitStrictTools } from "../fitting/schema.ts";
import { dropChoice, takesChoice } from "../fitting/tool-choice.ts";
import { fitThinking } from "./fit-thinking.ts";

const sampling: SamplingFields = { temperature: "temperature", top_p: "top_p", top_k: "top_k" };

const choices = new Map<unknown, ToolChoiceForm>([
  ["auto", "auto"],
  ["any", "required"],
  ["none", "none"],
  ["tool", "tool"],
]);

/** The body that a model with these traits takes, and what was changed for it. Without traits it is the same body. */
export function fitRequest(body: Fields, traits: Traits): Fitted {
  const draft = createDraft(body);
  const choice = choices.get(draft.at("tool_choice.type"));
  const way = fitThinking(draft, traits, choice);
  if (!takesChoice(choice, traits, way)) leaveChoice(draft, choice);
  fitSampling(draft, sampling, traits.sampling, way !== undefined);
  if (traits.stop_max === 0) draft.drop("stop_sequences", "stop");
  if (traits.parallel_tools === false) {
    draft.drop("tool_choice.disable_parallel_tool_use", "parallel_tool_calls");
  }
  fitFormat(draft, traits.schema);
  fitStrictTools(draft, ["input_schema"], traits.schema?.refused);
  return draft.fitted();
}

/** Takes the choice out. It also says whether calls may be parallel: that stays, with the choice left to the model. */
function leaveChoice(draft: Draft, choice: ToolChoiceForm | undefined): void {
  const single = draft.at("tool_choice.disable_parallel_tool_use");
  dropChoice(draft, "tool_choice", choice);
  if (choice !== "none" && single !== undefined) {
    draft.set("tool_choice", { type: "auto", disable_parallel_tool_use: single });
  }
}

/** A schema that the model cannot be held to is left out. The protocol has no form for "any JSON". */
function fitFormat(draft: Draft, schema: Traits["schema"]): void {
  if (!schema || draft.at("output_config.format") === undefined) return;
  if (!schema.forms.includes("json_schema")) draft.drop("output_config.format", "format");
  else fitSchema(draft, "output_config.format.schema", schema.refused);
}

/** The media and stop sequences of a client's body. */
export function asked(body: Fields): BodyInputs {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return {
    inputs: messages.flatMap((message: unknown, index) =>
      isObject(message) ? inputsOf(message.content, `messages[${index}].content`) : [],
    ),
    ...stopAt("stop_sequences", body.stop_sequences),
  };
}

/** Blocks may hold blocks: results of tools, and documents. */
function inputsOf(blocks: unknown, path: string): MediaInput[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: unknown, index) => {
    if (!isObject(block)) return [];
    const at = `${path}[${index}]`;
    const source = isObject(block.source) ? block.source : {};
    switch (block.type) {
      case "image":
        return inputOf(source, at, "image");
      case "document":
        return source.type === "content"
          ? inputsOf(source.content, `${at}.source.content`)
          : inputOf(source, at, "pdf");
      case "tool_result":
        return inputsOf(block.content, `${at}.content`);
      default:
        return [];
    }
  });
}

function inputOf(source: Fields, at: string, kind: "image" | "pdf"): MediaInput[] {
  if (source.type === "url") return inputOfUrl(at, source.url, kind);
  return source.type === "base64" ? inputAt(at, kindOf(source.media_type), "bytes") : [];
}
