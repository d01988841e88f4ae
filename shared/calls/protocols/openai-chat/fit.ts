/** An OpenAI chat body as one model takes it. */

import { asText, type Fields, isObject } from "../../../base/json/fields.ts";
import type { InputForm, ToolChoiceForm, Traits } from "../../../books/catalog/traits.ts";
import { createDraft, type Draft, type Fitted } from "../fitting/draft.ts";
import {
  type BodyInputs,
  inputAt,
  inputOfUrl,
  kindOfData,
  type MediaInput,
  stopAt,
} from "../fitting/inputs.ts";
import { fitOpenaiFormat } from "../fitting/openai-format.ts";
import { fitOpenaiReasoning } from "../fitting/openai-reasoning.ts";
import { fitSampling, type SamplingFields } from "../fitting/sampling.ts";
import { fitStrictTools } from "../fitting/schema.ts";
import { fitStore } from "../fitting/store.ts";
import { dropChoice, takesChoice } from "../fitting/tool-choice.ts";
import { spellAsking } from "./spelling/asking.ts";
import { spellNames } from "./spelling/names.ts";
import { spellReplay } from "./spelling/replay.ts";
import { spellTurns } from "./spelling/turns.ts";

const sampling: SamplingFields = {
  temperature: "temperature",
  top_p: "top_p",
  top_k: "top_k",
  frequency_penalty: "frequency_penalty",
  presence_penalty: "presence_penalty",
  logit_bias: "logit_bias",
  logprobs: "logprobs",
  top_logprobs: "top_logprobs",
  seed: "seed",
};

/** The body that a model with these traits takes, and what was changed for it. Without traits it is the same body. */
export function fitRequest(body: Fields, traits: Traits): Fitted {
  const draft = createDraft(body);
  const choice = choiceForm(draft.at("tool_choice"));
  const maximum = integerAt(draft, "max_completion_tokens") ?? integerAt(draft, "max_tokens");
  const place = { protocol: "openai", effort: "reasoning_effort", maximum, choice } as const;
  const way = fitOpenaiReasoning(draft, traits, place);
  if (!takesChoice(choice, traits, way)) dropChoice(draft, "tool_choice", choice);
  fitSampling(draft, sampling, traits.sampling, way !== undefined);
  fitMaximum(draft, traits.maximum);
  if (traits.stop_max === 0) draft.drop("stop", "stop");
  if (traits.parallel_tools === false) draft.drop("parallel_tool_calls", "parallel_tool_calls");
  fitOpenaiFormat(draft, traits.schema, "response_format");
  fitStrictTools(draft, ["function", "parameters"], traits.schema?.refused);
  fitStore(draft, traits.store);
  spell(draft, traits);
  return draft.fitted();
}

/** The fitted body as its vendor writes it. The replay looks at whether reasoning is turned off, so it comes first. */
function spell(draft: Draft, traits: Traits): void {
  spellReplay(draft, traits);
  spellTurns(draft, traits.turns);
  spellAsking(draft, traits);
  spellNames(draft, traits.fields);
}

function integerAt(draft: Draft, path: string): number | undefined {
  const value = draft.at(path);
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** The form of a choice. Undefined without a choice, and for an unknown form, which is left to the provider. */
function choiceForm(choice: unknown): ToolChoiceForm | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  return isObject(choice) && (choice.type === "function" || choice.type === "custom") ? "tool" : undefined;
}

/** The maximum under the name that the model knows, and no larger than what the call is held for. */
function fitMaximum(draft: Draft, name: Traits["maximum"]): void {
  if (!name) return;
  const other = name === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  const value = draft.at(other);
  if (value === undefined) return;
  draft.set(other, undefined);
  draft.name(other);
  if (draft.at(name) === undefined) draft.set(name, value);
}

/** The media and stop sequences of a client's body. */
export function asked(body: Fields): BodyInputs {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return {
    inputs: messages.flatMap((message: unknown, index) => {
      const content = isObject(message) ? message.content : undefined;
      if (!Array.isArray(content)) return [];
      return content.flatMap((part: unknown, at) => inputOf(part, `messages[${index}].content[${at}]`));
    }),
    ...stopAt("stop", body.stop),
  };
}

function inputOf(part: unknown, at: string): MediaInput[] {
  if (!isObject(part)) return [];
  const inner = part[asText(part.type)];
  switch (part.type) {
    case "image_url":
      return inputOfUrl(at, isObject(inner) ? inner.url : inner, "image");
    case "video_url":
      return inputOfUrl(at, isObject(inner) ? inner.url : inner, "video");
    case "input_audio": {
      const form: InputForm = isObject(inner) && inner.data === undefined ? "audio_url" : "audio_bytes";
      return [{ at, form }];
    }
    case "file": {
      const data = isObject(inner) ? inner.file_data : undefined;
      return typeof data === "string" ? inputAt(at, kindOfData(data), "bytes") : [];
    }
    default:
      return [];
  }
}
