/** Which addresses belong to the public Internet: where a stranger's URL may lead, and where it may not. */
import { lookup as systemLookup } from "node:dns";
import { BlockList, isIPv4, isIPv6, type LookupFunction } from "node:net";

/** IPv4 that is private, local, for documentation, for tests, multicast, or reserved (IANA's special registry). */
const closedIPv4: readonly [net: string, bits: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Here is the metadata of AWS and of others.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * What of the public IPv6, which is 2000::/3, leads elsewhere: protocols with an IPv4 address inside, and documentation.
 * All outside of it is refused: loopback, link-local, unique local, multicast, IPv4-mapped, and NAT64.
 */
const closedIPv6: readonly [net: string, bits: number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const closed = new BlockList();
for (const [net, bits] of closedIPv4) closed.addSubnet(net, bits, "ipv4");
for (const [net, bits] of closedIPv6) closed.addSubnet(net, bits, "ipv6");
const publicIPv6 = new BlockList();
publicIPv6.addSubnet("2000::", 3, "ipv6");

/** Whether an address, as DNS or a URL has it, belongs to the public Internet. A text that is no address does not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, "ipv4");
  return isIPv6(address) && publicIPv6.check(address, "ipv6") && !closed.check(address, "ipv6");
}

/** A name that leads to an address that is not public, or a URL with such an address. */
export class ClosedAddress extends Error {
  constructor() {
    super("the address is not public");
    this.name = "ClosedAddress";
  }
}

/**
 * Throws `ClosedAddress` where a URL has an address instead of a name, and it is not public. Other spellings of an
 * address, such as `0x7f.1`, are read by `URL` itself. Such a host asks no DNS, so `publicLookup` never sees it.
 */
export function checkHost({ hostname }: URL): void {
  const address = hostname.replace(/^\[|\]$/g, "");
  const isAddress = isIPv4(address) || isIPv6(address);
  if (isAddress && !isPublicAddress(address)) throw new ClosedAddress();
}

/**
 * DNS for a connection that may only lead to public addresses. The connection is made to what was checked, so nobody can
 * answer DNS twice in different ways. One closed address among several refuses all. `resolve` is Node's own outside tests.
 */
export function publicLookup(resolve: typeof systemLookup = systemLookup): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error) callback(error, "", 0);
      else if (!first || !found.every(({ address }) => isPublicAddress(address)))
        callback(new ClosedAddress(), "", 0);
      else if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}
