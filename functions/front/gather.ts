/** Puts the pieces of one body together, with one copy at most. */
import { free } from "#shared/base/platform/pinned-memory.ts";

export interface Gathering {
  add(piece: Buffer): void;
  whole(): Buffer;
}

/**
 * Gathers a body of `declared` bytes. Its memory is taken once a quarter is here, so a client that declares much and
 * sends little takes little. From then on each piece is copied as it comes, and its own memory is given back.
 */
export function gather(declared = 0): Gathering {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let place: Buffer | undefined;
  const move = (piece: Buffer, to: Buffer): void => {
    bytes += piece.copy(to, bytes);
    free(piece);
  };
  return {
    add(piece) {
      if (place) {
        move(piece, place);
        return;
      }
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= declared || bytes * 4 < declared) return;
      place = Buffer.allocUnsafeSlow(declared);
      bytes = 0;
      for (const kept of pieces) move(kept, place);
      pieces = [];
    },
    whole: () => place ?? (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytes)),
  };
}
