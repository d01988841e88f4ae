/** A client's address, as far as a server's place lets it be believed (shared/books/accounts/policies.md "Addresses"). */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

const header = "x-forwarded-for";

/**
 * The address behind so many proxies that nobody can pass by; without any, that of the connection. Each proxy writes the
 * address of who called it behind those that it was given. So the client's own stands at that place from the end, and what
 * a client wrote stands before it. Nothing where the header has no address there, and where it came twice: nobody says
 * behind which one a proxy writes.
 */
export function clientOf(incoming: IncomingMessage, proxies: number): { ip?: string } {
  const ip = proxies === 0 ? incoming.socket.remoteAddress : addressBehind(proxies, incoming);
  return ip === undefined ? {} : { ip };
}

function addressBehind(proxies: number, { rawHeaders }: IncomingMessage): string | undefined {
  const given = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === header);
  if (given.length !== 1) return undefined;
  const address = given[0]?.split(",").at(-proxies)?.trim() ?? "";
  return isIP(address) === 0 ? undefined : address;
}
