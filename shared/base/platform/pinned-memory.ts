/**
 * Memory that is freed by hand, once no socket reads it any more. V8 counts the memory of a body to its old generation.
 * It collects the whole heap for every few large bodies that nobody frees.
 */

/** How many requests may still read some memory; the key of this on the memory itself. */
const readers = Symbol("readers");

interface Pinnable extends ArrayBuffer {
  [readers]?: number;
}

/**
 * Pins the memory of these bytes, because a socket gets its address. Gives a function that unpins it, once the socket
 * has written it all or is closed. Memory that nobody unpins is freed by V8.
 */
export function pin(bytes: readonly Uint8Array[]): () => void {
  let pinned = bytes.map(({ buffer }) => buffer as Pinnable);
  for (const memory of pinned) memory[readers] = (memory[readers] ?? 0) + 1;
  return () => {
    for (const memory of pinned) memory[readers] = (memory[readers] ?? 1) - 1;
    pinned = [];
  };
}

/**
 * Frees the memory of these bytes now, if it is theirs alone and not pinned. Whoever looks at them afterwards finds no
 * bytes. They must have been taken by `Buffer.allocUnsafeSlow`, or as Node's parser takes them.
 */
export function free({ buffer, byteLength }: Buffer): void {
  const memory = buffer as Pinnable;
  if (!(memory instanceof ArrayBuffer) || memory.byteLength !== byteLength || memory[readers]) return;
  memory.transfer(0);
}
