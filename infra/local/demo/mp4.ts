/** A video track in an MP4 file (ISO/IEC 14496-12 and -15), its index first so that players can start at once. */
import type { Track } from "./h264.ts";

/** A box: its length, its type, what is in it. */
function box(type: string, ...content: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4, "latin1");
  return Buffer.concat([head, ...content]);
}

/** A box with a version, which is 0, and flags. */
function fullBox(type: string, flags: number, ...content: Buffer[]): Buffer {
  return box(type, long(flags), ...content);
}

function long(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}

function short(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value, 2 * at);
  return bytes;
}

const latin = (text: string) => Buffer.from(text, "latin1");

/** No rotation, no scale: 1.0 stands as 0x10000, and 1.0 of the last column as 0x40000000. */
const upright = long(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** The file of a track at so many frames a second. */
export function toMp4(track: Track, framesPerSecond: number): Buffer {
  const type = box("ftyp", latin("isom"), long(0x200), latin("isomiso2avc1mp41"));
  // The index tells where the samples are, which is behind the index: its length does not depend on it.
  const dataAt = type.length + index(track, framesPerSecond, 0).length + 8;
  return Buffer.concat([type, index(track, framesPerSecond, dataAt), box("mdat", ...track.samples)]);
}

function index(track: Track, framesPerSecond: number, dataAt: number): Buffer {
  const { width, height, samples } = track;
  const duration = samples.length;
  const movie = fullBox(
    "mvhd",
    0,
    // Made and changed at no time; rate 1.0, volume 1.0.
    long(0, 0, framesPerSecond, duration, 0x10000),
    short(0x100, 0),
    long(0, 0),
    upright,
    long(0, 0, 0, 0, 0, 0, 2),
  );
  const enabledInMovie = 3;
  const head = fullBox(
    "tkhd",
    enabledInMovie,
    long(0, 0, 1, 0, duration, 0, 0),
    short(0, 0, 0, 0),
    upright,
    long(width * 0x10000, height * 0x10000),
  );
  const undetermined = 0x55c4;
  const mediaHead = fullBox("mdhd", 0, long(0, 0, framesPerSecond, duration), short(undetermined, 0));
  const kind = fullBox("hdlr", 0, long(0), latin("vide"), long(0, 0, 0), latin("VideoHandler\0"));
  const inThisFile = fullBox("url ", 1);
  const media = box(
    "minf",
    fullBox("vmhd", 1, short(0, 0, 0, 0)),
    box("dinf", fullBox("dref", 0, long(1), inThisFile)),
    sampleTable(track, dataAt),
  );
  return box("moov", movie, box("trak", head, box("mdia", mediaHead, kind, media)));
}

function sampleTable(track: Track, dataAt: number): Buffer {
  const { samples } = track;
  return box(
    "stbl",
    fullBox("stsd", 0, long(1), sampleEntry(track)),
    // Every sample lasts one tick; the first is the one to begin at; all lie in one chunk.
    fullBox("stts", 0, long(1, samples.length, 1)),
    fullBox("stss", 0, long(1, 1)),
    fullBox("stsc", 0, long(1, 1, samples.length, 1)),
    fullBox("stsz", 0, long(0, samples.length, ...samples.map(({ length }) => length))),
    fullBox("stco", 0, long(1, dataAt)),
  );
}

function sampleEntry({ width, height, sequenceParameters, pictureParameters }: Track): Buffer {
  const dotsPerInch = 72 * 0x10000;
  // Lengths of four bytes; one set of each kind of parameters.
  const configuration = box(
    "avcC",
    Buffer.from([1, ...sequenceParameters.subarray(1, 4), 0xff, 0xe1]),
    short(sequenceParameters.length),
    sequenceParameters,
    Buffer.from([1]),
    short(pictureParameters.length),
    pictureParameters,
  );
  return box(
    "avc1",
    short(0, 0, 0, 1),
    long(0, 0, 0, 0),
    short(width, height),
    long(dotsPerInch, dotsPerInch, 0),
    short(1),
    Buffer.alloc(32),
    short(24, 0xffff),
    configuration,
  );
}
