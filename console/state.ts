/** Values that the whole console shows. A change draws all of it anew: pages are small, so that costs little. */

interface Signal<Value> {
  value: Value;
}

const listeners = new Set<() => void>();
let isTold = false;

/** A value whose changes draw the console anew. */
export function signal<Value>(initial: Value): Signal<Value> {
  let current = initial;
  return {
    get value() {
      return current;
    },
    set value(next: Value) {
      if (next === current) return;
      current = next;
      if (isTold) return;
      isTold = true;
      queueMicrotask(() => {
        isTold = false;
        for (const listener of listeners) listener();
      });
    },
  };
}

/** A value that is made of others whenever it is read. */
export function computed<Value>(make: () => Value): { readonly value: Value } {
  return {
    get value() {
      return make();
    },
  };
}

/** Calls a listener after changes. Gives what ends that. */
export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
