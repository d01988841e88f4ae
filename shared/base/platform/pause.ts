/** Waiting. Time and chance come from globals alone, which the simulation replaces to repeat a run from its seed. */

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The promise's value, or `instead` when it takes longer than `ms`. */
export async function within<Value>(promise: Promise<Value>, ms: number, instead: Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Value>((resolve) => {
    timer = setTimeout(() => resolve(instead), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
