/** Pages of a context's questions: the sketch of each kept entry's. A lookup compares all records of all pages. */
import { decrypt, encrypt } from "../../../base/platform/encryption.ts";
import { bounds } from "./bounds.ts";
import { distance, sketchBytes } from "./sketch.ts";

/** An entry that others may find. */
export interface Neighbour {
  /** The entry's name: base64url of 16 bytes. */
  name: string;
  sketch: Buffer;
  /** When the entry ends, Unix milliseconds. */
  until: number;
}

/** Which page, and whose. A page opens nowhere else. */
export interface PagePlace {
  scope: string;
  context: string;
  /** The key of the scope's boxes. */
  key: Buffer;
}

const format = 1;
const nameBytes = 16;
const untilBytes = 6;
const recordBytes = nameBytes + sketchBytes + untilBytes;

/** The page on which an entry is noted: the first hexadecimal digit of its name, `0` to `f`. */
export function pageOf(name: string): string {
  return Buffer.from(name, "base64url").toString("hex", 0, 1).charAt(0);
}

/** A page, encrypted. */
export function sealPage(place: PagePlace, page: string, records: readonly Neighbour[]): Buffer {
  return encrypt(place.key, placeText(place, page), packPage(records));
}

/** The records of an encrypted page. Throws where it was not sealed for this place. */
export function openPage(place: PagePlace, page: string, bytes: Buffer): Neighbour[] {
  return unpackPage(decrypt(place.key, placeText(place, page), bytes));
}

function placeText({ scope, context }: PagePlace, page: string): string {
  return JSON.stringify(["page", scope, context, page]);
}

/** Records as bytes: one for the format, and 54 for each record. Throws a RangeError for one that is none. */
export function packPage(records: readonly Neighbour[]): Buffer {
  return Buffer.concat([Buffer.of(format), ...records.map(packRecord)]);
}

function packRecord({ name, sketch, until }: Neighbour): Buffer {
  const bytes = Buffer.alloc(recordBytes);
  const named = Buffer.from(name, "base64url");
  if (named.length !== nameBytes || named.toString("base64url") !== name || sketch.length !== sketchBytes) {
    throw new RangeError("a record has a name of 16 bytes and a sketch of 32");
  }
  if (!Number.isSafeInteger(until)) throw new RangeError("a record ends at a millisecond");
  named.copy(bytes);
  sketch.copy(bytes, nameBytes);
  bytes.writeUIntBE(until, nameBytes + sketchBytes, untilBytes);
  return bytes;
}

/** The records of a page. Throws a RangeError for a page that is broken. */
export function unpackPage(bytes: Buffer): Neighbour[] {
  const records = (bytes.length - 1) / recordBytes;
  if (bytes[0] !== format || !Number.isInteger(records) || records > bounds.recordsMax) {
    throw new RangeError("this is no page of questions");
  }
  return Array.from({ length: records }, (_, index) => {
    const start = 1 + index * recordBytes;
    const [named, sketched] = [start + nameBytes, start + nameBytes + sketchBytes];
    return {
      name: bytes.toString("base64url", start, named),
      sketch: Buffer.from(bytes.subarray(named, sketched)),
      until: bytes.readUIntBE(sketched, untilBytes),
    };
  });
}

/** Those within reach of a question that are not over, the nearest first, eight at most. */
export function nearest(records: readonly Neighbour[], sketch: Buffer, now: number): Neighbour[] {
  return records
    .filter(({ until }) => until > now)
    .map((record) => ({ record, far: distance(record.sketch, sketch) }))
    .filter(({ far }) => far <= bounds.reachBits)
    .sort((one, other) => one.far - other.far)
    .slice(0, bounds.neighboursMax)
    .map(({ record }) => record);
}

/** A page's records with one more, in place of its namesake. Those over, and beyond 32 those that end first, go. */
export function withNeighbour(records: readonly Neighbour[], added: Neighbour, now: number): Neighbour[] {
  const others = records.filter(({ name, until }) => name !== added.name && until > now);
  const excess = Math.max(0, others.length + 1 - bounds.recordsMax);
  return [...others.sort((one, other) => one.until - other.until).slice(excess), added];
}
