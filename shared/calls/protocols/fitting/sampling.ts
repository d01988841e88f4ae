/** Sampling parameters that a model does not take, or not beside others. */
import type { SamplingParameter, Traits } from "../../../books/catalog/traits.ts";
import type { Draft } from "./draft.ts";

/** Where a protocol has the parameters, as dotted paths. */
export type SamplingFields = Partial<Record<SamplingParameter, string>>;

/** Takes out or lowers what the model refuses. Of parameters that exclude each other the first stays. */
export function fitSampling(
  draft: Draft,
  fields: SamplingFields,
  sampling: Traits["sampling"],
  reasons: boolean,
): void {
  if (!sampling) return;
  const { refused = [], refused_reasoning = [], one_of = [], temperature_max } = sampling;
  const present = (name: SamplingParameter): string | undefined => {
    const path = fields[name];
    return path !== undefined && draft.at(path) !== undefined ? path : undefined;
  };
  const drop = (name: SamplingParameter): void => {
    const path = present(name);
    if (path !== undefined) draft.drop(path, name);
  };
  for (const name of reasons ? [...refused, ...refused_reasoning] : refused) drop(name);
  for (const group of one_of) group.filter(present).slice(1).forEach(drop);
  const path = present("temperature");
  const temperature = path && draft.at(path);
  if (!path || typeof temperature !== "number" || temperature_max === undefined) return;
  if (temperature <= temperature_max) return;
  draft.set(path, temperature_max);
  draft.name(path, "temperature");
}
