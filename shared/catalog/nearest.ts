/** The models whose names are nearest to one that does not exist, for whoever has mistyped it. */
import { limits } from "../limits.ts";
import { changesBetween } from "../platform/nearest.ts";
import { type Model, normalName } from "./catalog.ts";

/** Longer names resemble nothing. */
const nameCharsMax = 100;
/** A shorter name is the beginning of too many. */
const beginningCharsMin = 3;
const editsMax = 4;

/**
 * The ids of at most `limits.modelSuggestionsMax` of these models, the nearest first. Near are the same name of
 * another vendor, a few letters that differ, and one name that begins with the other. `namesOf` gives what
 * `comparedNames` does, which a catalog keeps.
 */
export function nearestModels(
  name: string,
  models: readonly Model[],
  namesOf: (model: Model) => readonly string[],
): string[] {
  if (name.length > nameCharsMax) return [];
  const wanted = spellings(name);
  const near: { id: string; distance: number }[] = [];
  // What is no nearer than the last of those found so far is not looked at to its end.
  let bound = Number.POSITIVE_INFINITY;
  for (const model of models) {
    let distance = bound;
    for (const known of namesOf(model)) {
      for (const spelling of wanted) distance = Math.min(distance, distanceOf(spelling, known, distance));
    }
    if (distance >= bound) continue;
    near.push({ id: model.id, distance });
    near.sort((a, b) => a.distance - b.distance).splice(limits.modelSuggestionsMax);
    if (near.length === limits.modelSuggestionsMax) bound = near.at(-1)?.distance ?? bound;
  }
  return near.map(({ id }) => id);
}

/** A model's names as they are compared: whole, and without their vendor. */
export function comparedNames({ id, aliases }: Pick<Model, "id" | "aliases">): readonly string[] {
  return [...new Set([id, ...aliases].flatMap(spellings))];
}

/** A name, and what stands behind its vendor. */
function spellings(name: string): string[] {
  const whole = normalName(name);
  const bare = whole.slice(whole.lastIndexOf("/") + 1);
  return bare === whole || bare === "" ? [whole] : [whole, bare];
}

/**
 * 0 for the same, then one for each change of a letter; a beginning is as near as one letter, and nearer the less is
 * missing. Infinite where that is not below `bound`.
 */
function distanceOf(wanted: string, known: string, bound: number): number {
  if (wanted === known) return 0;
  const shorter = Math.min(wanted.length, known.length);
  const apart = Math.abs(wanted.length - known.length);
  const begins = shorter >= beginningCharsMin && (known.startsWith(wanted) || wanted.startsWith(known));
  if (begins) return 1 + apart / (nameCharsMax + limits.modelNameBytesMax);
  const edits = Math.min(editsMax, Math.floor(shorter / 4), Math.ceil(bound) - 1);
  return apart > edits ? Number.POSITIVE_INFINITY : changesBetween(wanted, known, edits);
}
