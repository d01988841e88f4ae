/** What a key's calls wish where they say nothing: as a form chooses it, and as the API takes it. */
import type {
  ChosenName,
  KeyDefaultName as DefaultName,
  KeyDefaults,
  keyDefaults,
} from "../shared/books/accounts/key-defaults.ts";

export type { DefaultName };

type Rows = typeof keyDefaults;

/** What is chosen for each default, and what is typed. `usual`, or no text: the key says nothing. */
export type DefaultChoices = { [Name in ChosenName]: "usual" | Rows[Name]["values"][number] } & {
  [Name in Exclude<DefaultName, ChosenName>]: string;
};

/** The defaults that are chosen, in the order of the form, and which of them are lists. */
const isList = { allow_drop: true, cache_points: false, on_disconnect: false } satisfies {
  [Name in ChosenName]: Rows[Name]["isList"];
};
export const chosenNames = Object.keys(isList) as ChosenName[];

/** The choices of a key; of a new one without `defaults`. */
export function choicesOf(
  defaults: { [Name in DefaultName]?: KeyDefaults[Name] | undefined } | null = null,
): DefaultChoices {
  const chosen = chosenNames.map((name) => [name, [defaults?.[name] ?? "usual"].flat()[0]]);
  return { ...Object.fromEntries(chosen), tags: defaults?.tags ?? "" } as DefaultChoices;
}

/** What is chosen and typed for each default, as a change of a key takes it: null takes one away. */
export function changedDefaults(choices: DefaultChoices) {
  const chosen = defaultsOf(choices);
  return Object.fromEntries([...chosenNames, "tags" as const].map((name) => [name, chosen[name] ?? null]));
}

/** The defaults that are chosen and typed. */
export function defaultsOf({ tags, ...choices }: DefaultChoices): KeyDefaults {
  const chosen = Object.entries(choices).filter(([, value]) => value !== "usual");
  const defaults = chosen.map(([name, value]) => [name, isList[name as ChosenName] ? [value] : value]);
  return { ...Object.fromEntries(defaults), ...(tags.trim() && { tags: tags.trim() }) };
}
