/** What a key's calls wish where they say nothing: as a form chooses it, and as the API takes it. */
import type {
  KeyDefaultName as DefaultName,
  KeyDefaults,
  keyDefaults,
} from "../shared/books/accounts/key-defaults.ts";

export type { DefaultName };

type Rows = typeof keyDefaults;

/** What is chosen for each default. `usual`: the key says nothing. */
export type DefaultChoices = { [Name in DefaultName]: "usual" | Rows[Name]["values"][number] };

/** The defaults in the order of the form, and which of them are lists. */
const isList = { allow_drop: true, cache_points: false, on_disconnect: false } satisfies {
  [Name in DefaultName]: Rows[Name]["isList"];
};
export const defaultNames = Object.keys(isList) as DefaultName[];

/** The choices of a key; of a new one without `defaults`. */
export function choicesOf(defaults: KeyDefaults | null = null): DefaultChoices {
  const chosen = defaultNames.map((name) => [name, [defaults?.[name] ?? "usual"].flat()[0]]);
  return Object.fromEntries(chosen) as DefaultChoices;
}

/** The defaults that are chosen. */
export function defaultsOf(choices: DefaultChoices): KeyDefaults {
  const chosen = Object.entries(choices).filter(([, value]) => value !== "usual");
  return Object.fromEntries(
    chosen.map(([name, value]) => [name, isList[name as DefaultName] ? [value] : value]),
  );
}
