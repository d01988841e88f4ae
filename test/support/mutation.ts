/** Bodies that almost fit: a good one with a value somewhere inside replaced, doubled or taken away. */
import fc from "fast-check";

type Step = string | number;

/** Values that no field expects everywhere: wrong types, prototype keys, lone surrogates, extremes. */
const odd: readonly unknown[] = [
  null,
  "",
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  [""],
  "\u0000",
  "\ud800",
  "data:;base64,",
  "data:image/png;base64,%",
  "https://",
  "constructor",
  "__proto__",
  "toString",
  JSON.parse('{"__proto__":{"type":"text"},"constructor":{"prototype":1},"type":"__proto__"}'),
  { type: "constructor" },
  { type: "text" },
  { type: "function", function: { name: "hasOwnProperty", arguments: "{" } },
  { role: "toString", content: null, parts: null },
  JSON.parse(`${"[".repeat(80)}${"]".repeat(80)}`),
  JSON.parse(`${'{"items":'.repeat(80)}1${"}".repeat(80)}`),
];

/** Every place inside a JSON value, the value itself excepted. */
function placesIn(value: unknown, path: Step[] = []): Step[][] {
  if (typeof value !== "object" || value === null) return [];
  const steps: Step[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return steps.flatMap((step) => {
    const place = [...path, step];
    return [place, ...placesIn((value as Record<Step, unknown>)[step], place)];
  });
}

interface Change {
  place: number;
  kind: "replace" | "remove" | "double" | "rename";
  value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom("replace", "replace", "replace", "remove", "double", "rename"),
  value: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...odd) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  ),
});

function applied(base: unknown, { place, kind, value }: Change): unknown {
  const copy: unknown = structuredClone(base);
  const places = placesIn(copy);
  const path = places[place % places.length];
  const last = path?.at(-1);
  if (!path || last === undefined) return copy;
  const parent = path.slice(0, -1).reduce((node, step) => (node as Record<Step, unknown>)[step], copy);
  const fields = parent as Record<Step, unknown>;
  if (kind === "double" && Array.isArray(parent)) parent.push(structuredClone(fields[last]));
  else if (kind === "remove" && Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (kind === "remove") delete fields[last];
  else if (kind === "rename" && typeof value === "string" && !Array.isArray(parent)) {
    // An own member even where the name is `__proto__`.
    Object.defineProperty(fields, value, { value: fields[last], enumerable: true, configurable: true });
  } else fields[last] = value;
  return copy;
}

/** One to three changes of one of these values. */
export function mutated(...bases: unknown[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.constantFrom(...bases), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([base, changes]) => changes.reduce<unknown>(applied, base));
}
