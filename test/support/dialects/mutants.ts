/** Dialects with one rule taken out at a time, so that a test shows that each is needed. */
import type { Json } from "#test/support/vendor-answers.ts";

const isTable = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Members that say where the facts are from. */
const notes = new Set(["source", "as_of"]);

/** Traits without one member each, at any depth, with the path of what is missing. A place by itself cannot be missing. */
export function withoutOne(traits: Json, path = ""): { rule: string; traits: Json }[] {
  return Object.entries(traits).flatMap(([key, value]) => {
    if (key === "as" || (path === "" && notes.has(key))) return [];
    const rule = path === "" ? key : `${path}.${key}`;
    const { [key]: _, ...others } = traits;
    const inner = isTable(value) ? withoutOne(value, rule) : [];
    const parts = inner.map((each) => ({ rule: each.rule, traits: { ...traits, [key]: each.traits } }));
    const whole = { rule, traits: others };
    const isOnlyTable = isTable(value) && Object.keys(value).length > 1 && !Object.hasOwn(value, "as");
    return isOnlyTable ? parts : Object.hasOwn(Object(value), "as") ? [whole, ...parts] : [whole];
  });
}
