/** A deep copy of objects, lists and what is in them, several times as fast as `structuredClone` for small ones. */
export function copyOf<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as Value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy = { ...value };
  for (const name of Object.keys(copy) as (keyof Value)[]) copy[name] = copyOf(copy[name]);
  return copy;
}
