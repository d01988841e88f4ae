/** A Gemini body as one model takes it. Members may stand in either of Google's spellings, and keep theirs. */

import { type Fields, isObject } from "../../../base/json/fields.ts";
import type { ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
import { createDraft, type Draft, type Fitted } from "../fitting/draft.ts";
import { type BodyInputs, inputAt, kindOf, type MediaInput, stopAt } from "../fitting/inputs.ts";
import { fitSampling, type SamplingFields } from "../fitting/sampling.ts";
import { fitSchema } from "../fitting/schema.ts";
import { dropChoice, givesWay, takesChoice } from "../fitting/tool-choice.ts";
import { fitThinking, switchOff } from "./fit-thinking.ts";
import { camel, camelKeys } from "./names.ts";

const sampling: SamplingFields = {
  temperature: "generationConfig.temperature",
  top_p: "generationConfig.topP",
  top_k: "generationConfig.topK",
  frequency_penalty: "generationConfig.frequencyPenalty",
  presence_penalty: "generationConfig.presencePenalty",
  logprobs: "generationConfig.responseLogprobs",
  top_logprobs: "generationConfig.logprobs",
  seed: "generationConfig.seed",
};

const calling = "toolConfig.functionCallingConfig";

/** The body that a model with these traits takes, and what was changed for it. Without traits it is the same body. */
export function fitRequest(body: Fields, traits: Traits): Fitted {
  const draft = createDraft(body, camel);
  const choice = choiceForm(draft);
  let way = fitThinking(draft, traits.reasoning);
  if (way && givesWay(choice, traits, way)) {
    switchOff(draft, traits.reasoning);
    way = undefined;
  }
  if (!takesChoice(choice, traits, way)) dropChoice(draft, calling, choice);
  fitSampling(draft, sampling, traits.sampling, way !== undefined);
  if (traits.stop_max === 0) draft.drop("generationConfig.stopSequences", "stop");
  fitFormat(draft, traits.schema);
  return draft.fitted();
}

/** The form of a choice. `VALIDATED` is `AUTO` with a promise, and is left to Google. */
function choiceForm(draft: Draft): ToolChoiceForm | undefined {
  const mode = draft.at(`${calling}.mode`);
  const names = draft.at(`${calling}.allowedFunctionNames`);
  switch (typeof mode === "string" ? mode.toUpperCase() : undefined) {
    case "AUTO":
      return "auto";
    case "NONE":
      return "none";
    case "ANY":
      return Array.isArray(names) && names.length === 1 ? "tool" : "required";
    default:
      return undefined;
  }
}

const schemas = ["generationConfig.responseJsonSchema", "generationConfig.responseSchema"];

/** The form of the answer: a schema the model cannot be held to becomes "any JSON", or nothing. */
function fitFormat(draft: Draft, schema: Traits["schema"]): void {
  if (!schema || draft.at("generationConfig.responseMimeType") !== "application/json") return;
  const { forms, refused } = schema;
  const described = schemas.filter((path) => draft.at(path) !== undefined);
  for (const path of described) {
    if (forms.includes("json_schema")) fitSchema(draft, path, refused);
    else draft.drop(path, "format.schema");
  }
  const takes = forms.includes("json") || (described.length > 0 && forms.includes("json_schema"));
  if (!takes) draft.drop("generationConfig.responseMimeType", "format");
}

/** The media and stop sequences of a client's body. */
export function asked(body: Fields): BodyInputs {
  const fields = camelKeys(body);
  const contents = Array.isArray(fields.contents) ? fields.contents : [];
  const config = isObject(fields.generationConfig) ? camelKeys(fields.generationConfig) : {};
  return {
    inputs: contents.flatMap((content: unknown, index) =>
      isObject(content) ? inputsOf(content.parts, `contents[${index}].parts`) : [],
    ),
    ...stopAt("generationConfig.stopSequences", config.stopSequences),
  };
}

function inputsOf(parts: unknown, path: string): MediaInput[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown, index) => {
    if (!isObject(part)) return [];
    const { inlineData, fileData, functionResponse } = camelKeys(part);
    const at = `${path}[${index}]`;
    if (isObject(inlineData)) return inputAt(at, kindOf(camelKeys(inlineData).mimeType), "bytes");
    if (isObject(fileData)) return inputOfFile(camelKeys(fileData), at);
    return isObject(functionResponse)
      ? inputsOf(camelKeys(functionResponse).parts, `${at}.functionResponse.parts`)
      : [];
  });
}

/** A file kept at Google is not an address for others. Google reads it whatever the model. */
function inputOfFile({ mimeType, fileUri }: Fields, at: string): MediaInput[] {
  if (typeof fileUri !== "string" || !/^https?:\/\//i.test(fileUri)) return [];
  return /^https:\/\/generativelanguage\.googleapis\.com\//i.test(fileUri)
    ? []
    : inputAt(at, kindOf(mimeType), "url");
}
