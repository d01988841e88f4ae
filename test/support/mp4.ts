/**
 * Reads an MP4 file of one H.264 track as strictly as ISO/IEC 14496-12 allows. It shares nothing with the writer.
 * Every byte belongs to a box, every sample lies in the data, and what stands in two places agrees.
 */
import { expect } from "vitest";

interface Video {
  width: number;
  height: number;
  frames: number;
  seconds: number;
  framesPerSecond: number;
}

const containers = new Set(["moov", "trak", "mdia", "minf", "dinf", "stbl"]);

/** All boxes by their path, their content and where it begins in the file. Fails on a box that leaves its parent. */
function readBoxes(
  file: Buffer,
  from: number,
  to: number,
  parent: string,
  boxes: Map<string, [Buffer, number]>,
) {
  let at = from;
  while (at < to) {
    const length = file.readUInt32BE(at);
    expect(length, `length of a box in ${parent}`).toBeGreaterThanOrEqual(8);
    expect(at + length, `end of a box in ${parent}`).toBeLessThanOrEqual(to);
    const type = file.toString("latin1", at + 4, at + 8);
    const path = parent === "" ? type : `${parent}.${type}`;
    expect(boxes.has(path), `a second ${path}`).toBe(false);
    boxes.set(path, [file.subarray(at + 8, at + length), at + 8]);
    if (containers.has(type)) readBoxes(file, at + 8, at + length, path, boxes);
    at += length;
  }
  expect(at).toBe(to);
  return boxes;
}

export function readVideo(file: Buffer): Video {
  const boxes = readBoxes(file, 0, file.length, "", new Map());
  expect([...boxes.keys()].filter((path) => !path.includes("."))).toEqual(["ftyp", "moov", "mdat"]);
  const box = (path: string): Buffer => {
    const found = boxes.get(path);
    expect(found, path).toBeDefined();
    return found?.[0] as Buffer;
  };
  const table = (name: string) => box(`moov.trak.mdia.minf.stbl.${name}`);

  const [timescale, duration] = [box("moov.mvhd").readUInt32BE(12), box("moov.mvhd").readUInt32BE(16)];
  expect(box("moov.trak.tkhd").readUInt32BE(20)).toBe(duration);
  expect([box("moov.trak.mdia.mdhd").readUInt32BE(12), box("moov.trak.mdia.mdhd").readUInt32BE(16)]).toEqual([
    timescale,
    duration,
  ]);
  expect(box("moov.trak.mdia.hdlr").toString("latin1", 8, 12)).toBe("vide");

  const [entries, frames, ticks] = [4, 8, 12].map((at) => table("stts").readUInt32BE(at)) as number[];
  expect(entries).toBe(1);
  expect(Number(frames) * Number(ticks)).toBe(duration);
  const sizes = readSizes(table("stsz"));
  expect(sizes).toHaveLength(Number(frames));
  const [data, dataAt] = boxes.get("mdat") as [Buffer, number];
  expect(table("stco").readUInt32BE(8)).toBe(dataAt);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(data.length);
  readSamples(data, sizes);

  const entry = table("stsd").subarray(8);
  expect(entry.toString("latin1", 4, 8)).toBe("avc1");
  const [width, height] = [entry.readUInt16BE(32), entry.readUInt16BE(34)];
  expect(box("moov.trak.tkhd").readUInt32BE(76)).toBe(width * 0x10000);
  expect(box("moov.trak.tkhd").readUInt32BE(80)).toBe(height * 0x10000);
  expect(sizeInSequence(entry.subarray(86))).toEqual([width, height]);
  return {
    ...{ width, height, frames: Number(frames), seconds: duration / timescale },
    framesPerSecond: timescale / Number(ticks),
  };
}

function readSizes(stsz: Buffer): number[] {
  expect(stsz.readUInt32BE(4)).toBe(0);
  const count = stsz.readUInt32BE(8);
  expect(stsz.length).toBe(12 + 4 * count);
  return Array.from({ length: count }, (_, index) => stsz.readUInt32BE(12 + 4 * index));
}

/** One unit a sample: a key frame first, then frames that depend on it; no byte of them looks like a start code. */
function readSamples(data: Buffer, sizes: number[]): void {
  let at = 0;
  for (const [index, size] of sizes.entries()) {
    expect(data.readUInt32BE(at)).toBe(size - 4);
    const unit = data.subarray(at + 4, at + size);
    expect((unit[0] ?? 0) & 0x1f).toBe(index === 0 ? 5 : 1);
    expect(unit.toString("hex").match(/^(?:..)*?0000(?:00|01|02)/)).toBeNull();
    at += size;
  }
}

/** The picture's size as the sequence parameters in an `avcC` box say it. */
function sizeInSequence(avcC: Buffer): [width: number, height: number] {
  expect(avcC.toString("latin1", 4, 8)).toBe("avcC");
  const unit = avcC.subarray(16, 16 + avcC.readUInt16BE(14));
  expect((unit[0] ?? 0) & 0x1f).toBe(7);
  // Behind the header, the profile, its constraints and the level.
  const bits = [...unit.subarray(4)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let at = 0;
  const number = () => {
    const zeros = bits.indexOf("1", at) - at;
    const value = Number.parseInt(bits.slice(at + zeros, at + 2 * zeros + 1), 2) - 1;
    at += 2 * zeros + 1;
    return value;
  };
  // Id, bits of frame numbers, kind of output order (2 has no fields of its own), references; then one bit.
  expect([number(), number(), number(), number()]).toEqual([0, 0, 2, 1]);
  at += 1;
  return [(number() + 1) * 16, (number() + 1) * 16];
}
