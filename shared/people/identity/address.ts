/** Where a client is, for counts: its own address, and the network around it. */
import { isIPv4, isIPv6 } from "node:net";

interface CountedAddress {
  /** The address itself. Of IPv6 its /64, all of which one subscriber has. */
  ip: string;
  /** The /24 around it, or the /48 of IPv6. */
  network: string;
}

/** What an address counts as. A text that is no address is one by itself, so that it has counts too. */
export function addressOf(text: string): CountedAddress {
  const plain = text.replace(/^::ffff:(?=\d+\.)/i, "");
  if (isIPv4(plain)) return { ip: plain, network: `${plain.split(".").slice(0, 3).join(".")}.0/24` };
  if (!isIPv6(plain)) return { ip: plain, network: plain };
  const groups = groupsOf(plain);
  return { ip: `${groups.slice(0, 4).join(":")}::/64`, network: `${groups.slice(0, 3).join(":")}::/48` };
}

/** The first four groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  // An IPv4 at the end stands for two groups.
  const afterCount = after.length + (after.at(-1)?.includes(".") ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - before.length - afterCount;
  const all = [...before, ...Array<string>(Math.max(0, zeros)).fill("0"), ...after];
  return all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
}
