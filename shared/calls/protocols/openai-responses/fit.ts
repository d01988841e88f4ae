/** A Responses body as one model takes it. */

import { type Fields, isObject } from "../../../base/json/fields.ts";
import type { ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
import { createDraft, type Draft, type Fitted } from "../fitting/draft.ts";
import { type BodyInputs, inputAt, inputOfUrl, kindOfData, type MediaInput } from "../fitting/inputs.ts";
import { fitOpenaiFormat } from "../fitting/openai-format.ts";
import { fitOpenaiReasoning } from "../fitting/openai-reasoning.ts";
import { fitSampling, type SamplingFields } from "../fitting/sampling.ts";
import { fitStrictTools } from "../fitting/schema.ts";
import { fitStore } from "../fitting/store.ts";
import { dropChoice, takesChoice } from "../fitting/tool-choice.ts";

const sampling: SamplingFields = {
  temperature: "temperature",
  top_p: "top_p",
  top_logprobs: "top_logprobs",
};

const encrypted = "reasoning.encrypted_content";

/** The body that a model with these traits takes, and what was changed for it. Without traits it is the same body. */
export function fitRequest(body: Fields, traits: Traits): Fitted {
  const draft = createDraft(body);
  const choice = choiceForm(draft.at("tool_choice"));
  const most = draft.at("max_output_tokens");
  const maximum = typeof most === "number" ? most : undefined;
  const place = { protocol: "responses", effort: "reasoning.effort", maximum, choice } as const;
  const way = fitOpenaiReasoning(draft, traits, place);
  // A model that does not reason refuses every way of asking for it.
  if (traits.reasoning?.forms.length === 0 && !traits.reasoning.always) forgetReasoning(draft);
  if (!takesChoice(choice, traits, way)) dropChoice(draft, "tool_choice", choice);
  fitSampling(draft, sampling, traits.sampling, way !== undefined);
  if (traits.parallel_tools === false) draft.drop("parallel_tool_calls", "parallel_tool_calls");
  fitOpenaiFormat(draft, traits.schema, "text.format");
  fitStrictTools(draft, ["parameters"], traits.schema?.refused);
  fitStore(draft, traits.store);
  return draft.fitted();
}

function forgetReasoning(draft: Draft): void {
  draft.drop("reasoning", "reasoning.include");
  const include = draft.at("include");
  if (!Array.isArray(include) || !include.includes(encrypted)) return;
  const others = include.filter((name) => name !== encrypted);
  draft.set("include", others.length > 0 ? others : undefined);
  draft.name("include", "reasoning.include");
}

function choiceForm(choice: unknown): ToolChoiceForm | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  return isObject(choice) && choice.type === "function" ? "tool" : undefined;
}

/** The media of a client's body. It has no stop sequences. */
export function asked(body: Fields): BodyInputs {
  const items = Array.isArray(body.input) ? body.input : [];
  return {
    inputs: items.flatMap((item: unknown, index) => {
      if (!isObject(item)) return [];
      const [name, parts] = Array.isArray(item.content) ? ["content", item.content] : ["output", item.output];
      if (!Array.isArray(parts)) return [];
      return parts.flatMap((part: unknown, at) => inputOf(part, `input[${index}].${name}[${at}]`));
    }),
  };
}

function inputOf(part: unknown, at: string): MediaInput[] {
  if (!isObject(part)) return [];
  switch (part.type) {
    case "input_image":
      return inputOfUrl(at, part.image_url, "image");
    case "input_video":
      return inputOfUrl(at, part.video_url, "video");
    case "input_audio":
      return [{ at, form: "audio_bytes" }];
    case "input_file": {
      if (typeof part.file_url === "string") return inputOfUrl(at, part.file_url, "pdf");
      const data = part.file_data;
      return typeof data === "string" ? inputAt(at, kindOfData(data), "bytes") : [];
    }
    default:
      return [];
  }
}
