/** Rules between the members of traits, and between a model's traits and its capabilities. */
import type { Catalog, ModelEntry } from "./catalog.ts";
import { type ReasoningForm, type Traits, traitsAt } from "./traits.ts";

/** Every broken rule of the providers', the models' and their channels' traits as `path: problem`, in the file's order. */
export function traitProblems(catalog: Catalog): string[] {
  return [
    ...Object.entries(catalog.providers).flatMap(([name, { traits }]) =>
      memberProblems(traits).map((problem) => `providers.${name}.traits.${problem}`),
    ),
    ...catalog.models.flatMap((entry, index) => [
      ...[...new Set([...memberProblems(entry.traits), ...capabilityProblems(entry, catalog)])].map(
        (problem) => `models[${index}].traits.${problem}`,
      ),
      ...entry.channels.flatMap(({ traits }, place) =>
        memberProblems(traits).map((problem) => `models[${index}].channels[${place}].traits.${problem}`),
      ),
    ]),
  ];
}

/** Members that repeat or contradict each other. */
function memberProblems(traits: Traits | undefined): string[] {
  const { reasoning, sampling, tool_choice: choices } = traits ?? {};
  const refused = sampling?.refused ?? [];
  return [
    ...(reasoning ? reasoningProblems(reasoning) : []),
    ...(sampling?.refused_reasoning ?? [])
      .filter((name) => refused.includes(name))
      .map((name) => `sampling.refused_reasoning: ${name} is refused anyway`),
    ...(sampling?.one_of ?? [])
      .flat()
      .filter((name) => refused.includes(name))
      .map((name) => `sampling.one_of: ${name} is refused anyway`),
    ...(choices && reasoning?.tool_choice ? reasoning.tool_choice : [])
      .filter((form) => !choices?.includes(form))
      .map((form) => `reasoning.tool_choice: ${form} is not in tool_choice`),
  ];
}

function reasoningProblems(reasoning: NonNullable<Traits["reasoning"]>): string[] {
  const { forms, efforts, budget_tokens: budget, always, by_default } = reasoning;
  const needs = (member: string, form: ReasoningForm, given: unknown) =>
    given !== undefined && !forms.includes(form) ? [`reasoning.${member}: only with the form ${form}`] : [];
  return [
    ...needs("efforts", "effort", efforts),
    ...needs("budget_tokens", "budget", budget),
    ...(reasoning.tool_choice_with ?? [])
      .filter((form) => !forms.includes(form))
      .map((form) => `reasoning.tool_choice_with: ${form} is not in forms`),
    ...(reasoning.tool_choice_with && !reasoning.tool_choice
      ? ["reasoning.tool_choice_with: only with tool_choice"]
      : []),
    ...(always && efforts?.includes("none") ? ["reasoning.always: but the effort none turns it off"] : []),
    ...(always && budget?.min === 0 ? ["reasoning.always: but a budget of 0 turns it off"] : []),
    ...(always && by_default === false ? ["reasoning.always: but by_default says that it does not"] : []),
  ];
}

/** Contradictions between the model's traits, at any of its channels, and the capabilities that its listing shows. */
function capabilityProblems(entry: ModelEntry, { providers }: Catalog): string[] {
  const { capabilities, channels, traits: own } = entry;
  const isStated = own !== undefined || channels.some(({ traits }) => traits !== undefined);
  if (!capabilities.includes("chat")) return isStated ? ["source: only models that chat have traits"] : [];
  const has = (capability: ModelEntry["capabilities"][number]) => capabilities.includes(capability);
  return channels.flatMap((channel) => {
    const {
      reasoning,
      inputs,
      tool_choice: choices,
    } = traitsAt(entry, providers[channel.provider] ?? {}, channel);
    const reasons = reasoning && (reasoning.forms.length > 0 || reasoning.always === true);
    const pictures = inputs?.some((form) => form === "image_url" || form === "image_bytes");
    return [
      ...(has("reasoning") && reasons === false
        ? ["reasoning.forms: the model has the capability reasoning"]
        : []),
      ...(!has("reasoning") && reasons ? ["reasoning.forms: the model lacks the capability reasoning"] : []),
      ...(has("vision") && pictures === false ? ["inputs: the model has the capability vision"] : []),
      ...(!has("vision") && pictures ? ["inputs: the model lacks the capability vision"] : []),
      ...(has("tools") && choices && !choices.includes("auto") ? ["tool_choice: must have auto"] : []),
      ...(!has("tools") && own?.tool_choice ? ["tool_choice: the model lacks the capability tools"] : []),
    ];
  });
}
