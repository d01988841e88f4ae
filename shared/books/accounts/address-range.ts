/** Ranges of addresses (CIDR), of IPv4 and of IPv6. An IPv4 address that is written as IPv6 is the IPv4 address. */
import { isIPv4, isIPv6 } from "node:net";

/** An address: 4 or 16 bytes. */
export type AddressBytes = readonly number[];

interface AddressRange {
  first: AddressBytes;
  /** How many leading bits all of its addresses share. */
  bits: number;
}

/** The 12 bytes before an IPv4 address that is written as IPv6. */
const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/** The bytes of an address; undefined for a text that is none, and for one with a zone (`fe80::1%eth0`). */
export function addressBytes(text: string): AddressBytes | undefined {
  if (isIPv4(text)) return text.split(".").map(Number);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  // A URL has the one short form, in which an IPv4 at the end is two groups.
  const short = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = "", tail] = short.split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0);
  const bytes = [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
  return mapped.every((byte, at) => bytes[at] === byte) ? bytes.slice(12) : bytes;
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/**
 * The range that a text names, an address alone being the range of itself. Undefined for any other text, also where the
 * address has bits behind those that its range shares.
 */
export function rangeOf(text: string): AddressRange | undefined {
  const [address = "", length, ...more] = text.split("/");
  const first = addressBytes(address);
  if (!first || more.length > 0) return undefined;
  const all = first.length * 8;
  // A range in the IPv6 form of IPv4 counts its 96 bits too.
  const written = address.includes(":") && first.length === 4 ? 96 : 0;
  if (length === undefined) return { first, bits: all };
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const bits = Number(length) - written;
  if (bits < 0 || bits > all) return undefined;
  return first.every((byte, at) => (byte & ~maskOf(bits - at * 8) & 255) === 0) ? { first, bits } : undefined;
}

/** The bits of a byte that belong to a range which shares so many from this byte on. */
function maskOf(bits: number): number {
  if (bits >= 8) return 255;
  return bits <= 0 ? 0 : (255 << (8 - bits)) & 255;
}

/** The one form of a range: `203.0.113.0/24`, `2001:db8::/32`, or an address alone. */
export function rangeText({ first, bits }: AddressRange): string {
  const whole = first.length === 4 ? first.join(".") : shortForm(first);
  return bits === first.length * 8 ? whole : `${whole}/${bits}`;
}

function shortForm(bytes: AddressBytes): string {
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}

/** Whether an address is in a range. No range has addresses of both families. */
export function isInRange({ first, bits }: AddressRange, address: AddressBytes): boolean {
  if (first.length !== address.length) return false;
  return first.every((byte, at) => ((byte ^ (address[at] as number)) & maskOf(bits - at * 8)) === 0);
}

/** Whether a range has all addresses of another one. */
export function isRangeWithin(narrow: AddressRange, wide: AddressRange): boolean {
  return narrow.bits >= wide.bits && isInRange(wide, narrow.first);
}
