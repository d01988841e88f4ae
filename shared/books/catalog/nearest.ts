/** Suggests models for a name that does not exist: those whose names are nearest to it. */
import { limits } from "../../base/limits.ts";
import { changesBetween } from "../../base/platform/nearest.ts";
import { normalName } from "../accounts/pattern.ts";
import type { Model } from "./catalog.ts";

/** A longer name gets no suggestion. */
const nameCharsMax = 100;
/** A name of fewer characters begins too many others. */
const beginningCharsMin = 3;
const editsMax = 4;

/**
 * The ids of at most `limits.modelSuggestionsMax` models, the nearest first: where the vendor or a few letters differ,
 * or one name begins with the other. Where none is near, those of the family: a program may be newer.
 */
export function nearestModels(name: string, models: readonly Model[]): string[] {
  if (name.length > nameCharsMax) return [];
  const wanted = spellings(name);
  const near: { id: string; distance: number }[] = [];
  // Once the list is full, a model must be nearer than its last one. Comparing it stops as soon as it is not.
  let bound = Number.POSITIVE_INFINITY;
  for (const model of models) {
    let distance = bound;
    for (const known of [model.id, ...model.aliases].flatMap(spellings)) {
      for (const spelling of wanted) distance = Math.min(distance, distanceOf(spelling, known, distance));
    }
    if (distance >= bound) continue;
    near.push({ id: model.id, distance });
    near.sort((a, b) => a.distance - b.distance).splice(limits.modelSuggestionsMax);
    if (near.length === limits.modelSuggestionsMax) bound = near.at(-1)?.distance ?? bound;
  }
  return near.length > 0 ? near.map(({ id }) => id) : familyOf(wanted.at(-1) ?? "", models);
}

/**
 * The models whose names begin with the first word of a bare name, as `gemini-` or `claude-`. Those come first that are
 * like it for longest. Of equals the catalog's first comes first.
 */
function familyOf(wanted: string, models: readonly Model[]): string[] {
  const word = wanted.indexOf("-") + 1;
  if (word <= beginningCharsMin) return [];
  return models
    .map(({ id, aliases }) => {
      const known = [id, ...aliases].map((name) => spellings(name).at(-1) ?? "");
      return { id, shared: Math.max(...known.map((name) => sharedBeginning(wanted, name))) };
    })
    .filter(({ shared }) => shared >= word)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, limits.modelSuggestionsMax)
    .map(({ id }) => id);
}

function sharedBeginning(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** A name in the form in which names are compared, with its vendor and without. */
function spellings(name: string): string[] {
  const whole = normalName(name);
  const bare = whole.slice(whole.lastIndexOf("/") + 1);
  return bare === whole || bare === "" ? [whole] : [whole, bare];
}

/**
 * The distance of two names: 0 for the same name, and 1 for each letter to change. A name that begins with the other is
 * as near as one letter, and nearer the less is missing. A distance of `bound` or more is infinite.
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
