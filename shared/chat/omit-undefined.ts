/** An object type whose members that may be undefined are optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without its undefined members: absent and undefined are not the same in neutral forms and on the wire. */
export function omitUndefined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
