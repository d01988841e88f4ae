/** The form of traits (`traits.ts`) in a catalog file. `schema.ts` includes it. */
import * as z from "zod/mini";
import { isDay } from "../billing/period.ts";
import {
  askings,
  cachePlaces,
  callIdForms,
  chatFields,
  effortWords,
  fieldFamilies,
  inputForms,
  reasoningForms,
  replayPlaces,
  samplingParameters,
  toolChoices,
  toolProtocols,
} from "./traits.ts";

const positive = z.int().check(z.gte(1));
const text = z.string().check(z.minLength(1));

/** A list of different words. */
function words<const Word extends string>(names: readonly Word[]) {
  return z
    .array(z.enum(names as readonly [Word, ...Word[]]))
    .check(z.refine((list) => new Set(list).size === list.length, "must not say a word twice"));
}

const budget = z
  .strictObject({ min: z.int().check(z.gte(0)), max: positive })
  .check(z.refine(({ min, max }) => min <= max, "must not have a `min` above its `max`"));

const reasoning = z.strictObject({
  forms: words(reasoningForms),
  efforts: z.exactOptional(words(effortWords)),
  budget_tokens: z.exactOptional(budget),
  always: z.exactOptional(z.boolean()),
  by_default: z.exactOptional(z.boolean()),
  tool_choice: z.exactOptional(words(toolChoices)),
  tool_choice_with: z.exactOptional(words(reasoningForms)),
  tools_refused_in: z.exactOptional(words(toolProtocols)),
});

const sampling = z.strictObject({
  refused: z.exactOptional(words(samplingParameters)),
  refused_reasoning: z.exactOptional(words(samplingParameters)),
  one_of: z.exactOptional(z.array(words(samplingParameters).check(z.minLength(2)))),
  temperature_max: z.exactOptional(z.number().check(z.positive())),
});

export const statedTraits = z.strictObject({
  source: text,
  as_of: z.string().check(z.refine(isDay, "must be a day like 2026-11-20")),
  reasoning: z.exactOptional(reasoning),
  sampling: z.exactOptional(sampling),
  maximum: z.exactOptional(z.enum(["max_tokens", "max_completion_tokens"])),
  stop_max: z.exactOptional(z.int().check(z.gte(0))),
  parallel_tools: z.exactOptional(z.boolean()),
  tool_choice: z.exactOptional(words(toolChoices)),
  schema: z.exactOptional(
    z.strictObject({
      forms: words(["json", "json_schema"]),
      refused: z.exactOptional(z.array(text)),
    }),
  ),
  inputs: z.exactOptional(words(inputForms)),
  hosted_tools: z.exactOptional(z.array(text)),
  store: z.exactOptional(z.boolean()),
  system_turns: z.exactOptional(z.boolean()),
  result_media: z.exactOptional(z.boolean()),
  prefill: z.exactOptional(z.boolean()),
  think_tags: z.exactOptional(z.boolean()),
  fields: z.exactOptional(z.partialRecord(z.enum(chatFields), z.nullable(text))),
  asking: z.exactOptional(z.enum(askings)),
  replay: z.exactOptional(
    z.strictObject({ as: z.enum(replayPlaces), wanted: z.exactOptional(z.enum(["calls", "turns"])) }),
  ),
  call_ids: z.exactOptional(z.enum(callIdForms)),
  turns: z.exactOptional(
    z.strictObject({
      user_after_tool: z.exactOptional(z.boolean()),
    }),
  ),
  cache_points: z.exactOptional(words(cachePlaces)),
  family: z.exactOptional(z.enum(fieldFamilies)),
  guardrail: z.exactOptional(z.strictObject({ id: text, version: text })),
});
