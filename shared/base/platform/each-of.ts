/** Many things to do, a few at a time. */

/** Calls `act` for each of these, so many at a time. Rejects with the first error; what has begun goes on. */
export async function eachOf<Each>(
  all: readonly Each[],
  atOnce: number,
  act: (each: Each) => Promise<void>,
): Promise<void> {
  const left = all[Symbol.iterator]();
  const worker = async () => {
    for (const each of left) await act(each);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
