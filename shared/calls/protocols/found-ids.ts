/** The ids that a request brings, each with its path (provider-ids.md). Loaded with the first call that has any. */
import type { Fields } from "../../base/json/fields.ts";
import { type IdPlace, type IdPlaces, isKept, isNode, placeOf } from "./provider-ids.ts";

export interface FoundId {
  /** Keys and indexes from the body to it. */
  path: readonly (string | number)[];
  id: string;
  /** The provider reads the object as it stands, so it can do without the id. */
  spare: boolean;
}

/** The ids in a request's outline, in its order. */
export function idsIn(body: Fields, places: IdPlaces): FoundId[] {
  const found: FoundId[] = [];
  collect(body, places, { under: "", path: [] }, found);
  return found;
}

/** Where a walk is: the key that it stands under, and how it came there. */
interface At {
  under: string;
  path: FoundId["path"];
}

function collect(node: unknown, places: IdPlaces, { under, path }: At, found: FoundId[]): void {
  if (!isNode(node)) return;
  if (Array.isArray(node)) {
    for (const [index, item] of node.entries())
      collect(item, places, { under, path: [...path, index] }, found);
    return;
  }
  for (const [key, value] of Object.entries(node)) {
    const name = places.spelled?.(key) ?? key;
    if (places.words.has(name)) continue;
    const at = { under: name, path: [...path, key] };
    const place = placeOf(places, name, under);
    const spare =
      place !== undefined && place === places.given.id && places.isWhole?.(node as Fields) === true;
    const ids =
      place === undefined ? [] : Array.isArray(value) ? [...value.entries()] : [[undefined, value] as const];
    for (const [index, id] of ids) {
      if (place && isId(id, place))
        found.push({ path: index === undefined ? at.path : [...at.path, index], id, spare });
    }
    collect(value, places, at, found);
  }
}

function isId(value: unknown, { like, address }: IdPlace): value is string {
  if (typeof value !== "string" || value === "") return false;
  return address ? isKept(value) : (like?.test(value) ?? true);
}
