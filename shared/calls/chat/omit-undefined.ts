/** The same members; those that may be undefined are optional instead. */
type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined members. In neutral forms an optional member is absent, never undefined. */
export function omitUndefined<T extends object>(members: T): WithoutUndefined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>;
}
