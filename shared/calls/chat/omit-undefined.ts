/** The same members; those that may be undefined are optional instead. */
type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The object without its undefined members. In neutral forms an optional member is absent, never undefined. The names of
 * its members are ours, none is a client's.
 */
export function omitUndefined<T extends object>(members: T): WithoutUndefined<T> {
  const kept = {} as T;
  for (const name in members) if (members[name] !== undefined) kept[name] = members[name];
  return kept as WithoutUndefined<T>;
}
