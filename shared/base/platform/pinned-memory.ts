/** Memory that is freed by hand: V8 would collect the whole heap for every few large bodies that nobody frees. */

/** How many requests may still read some memory; the key of this on the memory itself. */
const readers = Symbol("readers");

interface Pinnable extends ArrayBuffer {
  [readers]?: number;
}

/** Pins bytes while a socket has their address. Gives a function that unpins them; V8 frees what nobody unpins. */
export function pin(bytes: readonly Uint8Array[]): () => void {
  let pinned = bytes.map(({ buffer }) => buffer as Pinnable);
  for (const memory of pinned) memory[readers] = (memory[readers] ?? 0) + 1;
  return () => {
    for (const memory of pinned) memory[readers] = (memory[readers] ?? 1) - 1;
    pinned = [];
  };
}

/** Frees the memory of these bytes now, if it is theirs alone and not pinned. Nobody may look at them afterwards. */
export function free({ buffer, byteLength }: Buffer): void {
  const memory = buffer as Pinnable;
  if (!(memory instanceof ArrayBuffer) || memory.byteLength !== byteLength || memory[readers]) return;
  memory.transfer(0);
}
