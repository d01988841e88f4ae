/** Anthropic's betas at a host, which refuses a request with one that it does not know. */

/** The betas that a host takes: its own names, by Anthropic's. */
export type Betas = ReadonlyMap<string, string>;

/** Betas of these names, and `renamed` ones by Anthropic's name. */
export function betasOf(names: readonly string[], renamed: Readonly<Record<string, string>>): Betas {
  return new Map([...Object.entries(renamed), ...names.map((name): [string, string] => [name, name])]);
}

/** What of the header `anthropic-beta` a host takes, each once, and whether that is all of it. */
export function takenBetas(header: string | undefined, betas: Betas): { taken: string[]; isWhole: boolean } {
  const given = header === undefined ? [] : header.split(",").map((name) => name.trim());
  return {
    taken: [...new Set(given.flatMap((name) => betas.get(name) ?? []))],
    isWhole: given.every((name) => betas.has(name)),
  };
}
