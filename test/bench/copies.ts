/**
 * Counts the bytes that JavaScript has copied: from buffer to buffer, and between buffers and strings. What a socket
 * copies from and to the kernel is not counted, because nobody can do without it.
 */
import { Socket } from "node:net";

type Anything = (this: unknown, ...given: unknown[]) => unknown;

interface Counted {
  owner: object;
  name: string;
  /** The bytes that one call has copied. */
  bytes: (result: unknown, given: unknown) => number;
}

/** Of a text one byte a character: most are ASCII. */
function sizeOf(copied: unknown): number {
  if (typeof copied === "string") return copied.length;
  return ArrayBuffer.isView(copied) ? copied.byteLength : 0;
}

/** A buffer over memory that is there already is no copy. */
function sizeOfNew(made: unknown, source: unknown): number {
  return source instanceof ArrayBuffer || source instanceof SharedArrayBuffer ? 0 : sizeOf(made);
}

const given = (_: unknown, first: unknown) => sizeOf(first);
const told = (count: unknown) => Number(count);

const bytesPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object;

const labels: Record<string, Counted> = {
  "Buffer.concat": { owner: Buffer, name: "concat", bytes: sizeOf },
  "Buffer.from": { owner: Buffer, name: "from", bytes: sizeOfNew },
  "Buffer.copyBytesFrom": { owner: Buffer, name: "copyBytesFrom", bytes: sizeOf },
  "buffer.copy": { owner: Buffer.prototype, name: "copy", bytes: told },
  "buffer.toString": { owner: Buffer.prototype, name: "toString", bytes: sizeOf },
  "buffer.utf8Slice": { owner: Buffer.prototype, name: "utf8Slice", bytes: sizeOf },
  "buffer.latin1Slice": { owner: Buffer.prototype, name: "latin1Slice", bytes: sizeOf },
  "buffer.write": { owner: Buffer.prototype, name: "write", bytes: told },
  "buffer.utf8Write": { owner: Buffer.prototype, name: "utf8Write", bytes: told },
  "array.set": { owner: bytesPrototype, name: "set", bytes: given },
  "array.slice": { owner: bytesPrototype, name: "slice", bytes: sizeOf },
  "TextDecoder.decode": { owner: TextDecoder.prototype, name: "decode", bytes: sizeOf },
  "TextEncoder.encode": { owner: TextEncoder.prototype, name: "encode", bytes: sizeOf },
  "JSON.stringify": { owner: JSON, name: "stringify", bytes: sizeOf },
  "text to a socket": {
    owner: Socket.prototype,
    name: "write",
    bytes: (_, piece) => (typeof piece === "string" ? piece.length : 0),
  },
  // It copies no byte by itself, but every text it makes.
  "JSON.parse": { owner: JSON, name: "parse", bytes: given },
};

/** Counts from now on. Gives what ends it, and tells the bytes by what copied them. */
export function countCopies(): () => Record<string, number> {
  const counts = new Map<string, number>();
  let isWithin = false;
  const undo = Object.entries(labels).map(([label, { owner, name, bytes }]) => {
    const own = Object.getOwnPropertyDescriptor(owner, name);
    const original = Reflect.get(owner, name) as Anything;
    function counted(this: unknown, ...words: unknown[]): unknown {
      // What a counted function calls by itself is its own copy, and not one more.
      if (isWithin) return Reflect.apply(original, this, words);
      isWithin = true;
      try {
        const result = Reflect.apply(original, this, words);
        counts.set(label, (counts.get(label) ?? 0) + bytes(result, words[0]));
        return result;
      } finally {
        isWithin = false;
      }
    }
    Object.defineProperty(owner, name, { value: counted, configurable: true, writable: true });
    return () => {
      if (own) Object.defineProperty(owner, name, own);
      else Reflect.deleteProperty(owner, name);
    };
  });
  return () => {
    for (const each of undo) each();
    return Object.fromEntries(counts);
  };
}
