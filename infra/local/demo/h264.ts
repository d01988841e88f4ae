/**
 * A still picture as an H.264 stream, written bit by bit as ITU-T H.264 says: the first block is sent as it is,
 * every other block of the first frame repeats its neighbours, and every later frame repeats the first.
 */

/** Luma and the two chroma values, 1 to 254. */
export type Color = readonly [y: number, cb: number, cr: number];

export interface Track {
  /** Multiples of 16. */
  width: number;
  height: number;
  sequenceParameters: Buffer;
  pictureParameters: Buffer;
  /** One per frame, each after its length. */
  samples: Buffer[];
}

/** Writes bits from the left, most significant first. */
class BitWriter {
  readonly #bytes: number[] = [];
  #filled = 0;

  bits(value: number, count: number): this {
    for (let at = count - 1; at >= 0; at--) {
      if (this.#filled === 0) this.#bytes.push(0);
      const last = this.#bytes.length - 1;
      this.#bytes[last] = (this.#bytes[last] ?? 0) | (((value >> at) & 1) << (7 - this.#filled));
      this.#filled = (this.#filled + 1) % 8;
    }
    return this;
  }

  /** Unsigned Exp-Golomb codes: ue(v). */
  numbers(...values: number[]): this {
    for (const value of values) {
      const length = Math.floor(Math.log2(value + 1));
      this.bits(0, length).bits(value + 1, length + 1);
    }
    return this;
  }

  align(): this {
    return this.#filled === 0 ? this : this.bits(0, 8 - this.#filled);
  }

  /** The unit with its header and its stop bit. No picture here has two bytes of zeros in a row, which must be escaped. */
  unit(header: number): Buffer {
    this.bits(1, 1).align();
    return Buffer.from([header, ...this.#bytes]);
  }
}

const header = { sequence: 0x67, picture: 0x68, key: 0x65, later: 0x41 };
const profile = { baseline: 66, constraints: 0xc0, level: 40 };
/** Frame numbers count modulo 16. */
const frameNumberBits = 4;

/** So many frames of one color. */
export function stillPicture(width: number, height: number, color: Color, frames: number): Track {
  const columns = width / 16;
  const rows = height / 16;
  const later = (index: number) => withLength(laterFrame(columns * rows, index));
  return {
    width,
    height,
    sequenceParameters: sequenceParameters(columns, rows),
    pictureParameters: pictureParameters(),
    samples: [
      withLength(keyFrame(columns, rows, color)),
      ...Array.from({ length: frames - 1 }, (_, index) => later(index + 1)),
    ],
  };
}

function withLength(unit: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(unit.length);
  return Buffer.concat([length, unit]);
}

function sequenceParameters(columns: number, rows: number): Buffer {
  const writer = new BitWriter()
    .bits(profile.baseline, 8)
    .bits(profile.constraints, 8)
    .bits(profile.level, 8);
  // Its id, bits of frame numbers above 4, output in the order of decoding, one reference frame without gaps.
  writer.numbers(0, frameNumberBits - 4, 2, 1).bits(0, 1);
  // Frames, not fields; neither cropping nor further parameters.
  return writer
    .numbers(columns - 1, rows - 1)
    .bits(0b1100, 4)
    .unit(header.sequence);
}

function pictureParameters(): Buffer {
  // Its id and its sequence's; variable-length codes; one slice group, one reference; no weights.
  const writer = new BitWriter().numbers(0, 0).bits(0, 2).numbers(0, 0, 0).bits(0, 3);
  // No offsets of quantizers; slices say themselves how edges are filtered.
  return writer.numbers(0, 0, 0).bits(0b100, 3).unit(header.picture);
}

const sliceType = { predicted: 5, intra: 7 };
const rawBlock = 25;
/** Predicted from the mean of its neighbours, with nothing to add. */
const repeatedBlock = 3;

function keyFrame(columns: number, rows: number, [y, cb, cr]: Color): Buffer {
  const writer = new BitWriter().numbers(0, sliceType.intra, 0).bits(0, frameNumberBits);
  // The id of the key frame, its marking as a reference, no change of the quantizer, no filter of edges.
  writer.numbers(0).bits(0, 2).numbers(0, 1);
  writer.numbers(rawBlock).align();
  for (const [value, count] of [
    [y, 256],
    [cb, 64],
    [cr, 64],
  ] as const) {
    for (let sample = 0; sample < count; sample++) writer.bits(value, 8);
  }
  for (let block = 1; block < columns * rows; block++) {
    writer.numbers(repeatedBlock, 0, 0);
    // "No coefficients" is longer beside the raw block, which counts as one that has all of them.
    if (block === 1 || block === columns) writer.bits(0b000011, 6);
    else writer.bits(1, 1);
  }
  return writer.unit(header.key);
}

function laterFrame(blocks: number, index: number): Buffer {
  const writer = new BitWriter().numbers(0, sliceType.predicted, 0).bits(index, frameNumberBits);
  // The usual reference, marked as usual; no change of the quantizer, no filter; every block is skipped.
  return writer.bits(0, 3).numbers(0, 1, blocks).unit(header.later);
}
