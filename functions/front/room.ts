/** Room for the bodies of requests, which many share (functions/front/README.md "Bodies"). */

/** How many bytes a process has in memory at a time, and whose they are. */
export interface Room {
  /** Takes bytes for an owner. False, with none taken, if the owner would then have more than is left for all others. */
  take(owner: string, bytes: number): boolean;
  give(owner: string, bytes: number): void;
  /** The bytes that an owner has. */
  of(owner: string): number;
}

/** Room for so many bytes. One owner alone gets half of it. */
export function createRoom(bytesMax: number): Room {
  let left = bytesMax;
  const taken = new Map<string, number>();
  const of = (owner: string): number => taken.get(owner) ?? 0;
  return {
    of,
    take(owner, bytes) {
      const own = of(owner) + bytes;
      if (own > left - bytes) return false;
      left -= bytes;
      taken.set(owner, own);
      return true;
    },
    give(owner, bytes) {
      if (bytes === 0) return;
      left += bytes;
      const own = of(owner) - bytes;
      if (own > 0) taken.set(owner, own);
      else taken.delete(owner);
    },
  };
}
