/** Counts of messages in windows of time: the port of the guard, which the store implements. */

export interface VelocityCount {
  /** What is counted, such as `ip:192.0.2.1`. */
  what: string;
  /** The window that it is counted in, such as an hour. */
  window: string;
  /** Which of several counts of the window, such as the country `+86`. */
  of?: string;
  /** At most; as many as there are where it is undefined. */
  most: number | undefined;
  /** Unix milliseconds, after which nobody asks for it. */
  ends_at: number;
}

export interface VelocityCounts {
  sent: number;
  /** Of them, those whose code somebody has entered. */
  completed: number;
  /** What an operator has added to its limit. */
  raised: number;
}

export interface Velocity {
  /** What has been counted so far. */
  read(count: Pick<VelocityCount, "what" | "window" | "of">): Promise<VelocityCounts>;
  /** Adds one if there is room, in one conditional write. Gives what is counted then, or undefined where it is full. */
  take(count: VelocityCount): Promise<VelocityCounts | undefined>;
  /** Takes back what `take` has added. */
  giveBack(count: VelocityCount): Promise<void>;
  /** Counts a message as completed. */
  complete(count: VelocityCount): Promise<void>;
  /** Adds to the limit of a count, and to those that go by it. Gives what has been added to it in all. */
  raise(count: VelocityCount, by: number): Promise<number>;
  /** Stops a block of numbers until an instant (Unix ms). Of several at once one gives true. */
  stop(block: string, at: number, until: number): Promise<boolean>;
  /** The messages of the UTC day of an instant by calling code. */
  countries(at: number): Promise<Readonly<Record<string, number>>>;
  /** The blocks that were stopped on the UTC day of an instant, with the end of each stop, Unix milliseconds. */
  stops(at: number): Promise<Readonly<Record<string, number>>>;
}

/**
 * Adds one to all of these counts at once, or to none. Where one is full, what the others were given is taken back: a
 * process that dies in between costs each of them one. Gives what has been counted then, or the first count that is full.
 */
export async function takeAll(
  counts: readonly VelocityCount[],
  velocity: Pick<Velocity, "take" | "giveBack">,
): Promise<{ counted: VelocityCounts[]; full?: undefined } | { counted: []; full: VelocityCount }> {
  const taken = await Promise.allSettled(counts.map((count) => velocity.take(count)));
  const counted = taken.flatMap((each) => (each.status === "fulfilled" && each.value ? [each.value] : []));
  if (counted.length === counts.length) return { counted };
  const isTaken = (_: VelocityCount, at: number) =>
    taken[at]?.status === "fulfilled" && taken[at].value !== undefined;
  await Promise.all(counts.filter(isTaken).map((count) => velocity.giveBack(count)));
  const failed = taken.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
  return { counted: [], full: counts.find((count, at) => !isTaken(count, at)) as VelocityCount };
}
