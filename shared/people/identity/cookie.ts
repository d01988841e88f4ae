/** The cookie of a session, and which pages may have it read. */
import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/** A browser keeps a cookie with this prefix only from its own host, for all of it, and over TLS (RFC 6265bis). */
const name = "__Host-session";
/** It stays in this browser, no script reads it, and only our own pages send it. */
export const cookieFlags = "Path=/; Secure; HttpOnly; SameSite=Strict";

/** The header that gives a browser its refresh token. */
export function sessionCookie(token: string): string {
  return `${name}=${token}; Max-Age=${consoleLimits.sessionSeconds}; ${cookieFlags}`;
}

/** The header that takes the refresh token away. */
export const endedCookie = `${name}=; Max-Age=0; ${cookieFlags}`;

/** The refresh token that a request carries. */
export function cookieOf(headers: Headers): string | undefined {
  return readCookie(headers, name) || undefined;
}

/** The text of a request's cookie of this name; undefined where it carries none. */
export function readCookie({ cookie }: Headers, name: string): string | undefined {
  const pairs = cookie?.split(";").map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Throws `permission_denied` unless a page of this very host has sent it. Browsers add the cookie by themselves. */
export function requireSameOrigin(headers: Headers): void {
  const site = headers["sec-fetch-site"];
  if (site === undefined ? isOwnOrigin(headers) : site === "same-origin") return;
  throw otherSite();
}

/** Throws `permission_denied` for a page of another site, which could sign its visitor in as somebody else. */
export function refuseOtherSites(headers: Headers): void {
  const site = headers["sec-fetch-site"];
  const isOther = site === undefined ? headers.origin !== undefined : site !== "same-origin";
  if (isOther && !(site === undefined && isOwnOrigin(headers))) throw otherSite();
}

/** Whether `Origin` is there and names the host that was asked. */
function isOwnOrigin({ origin, host }: Headers): boolean {
  if (!origin || !host || !URL.canParse(origin)) return false;
  return new URL(origin).host === host.toLowerCase();
}

function otherSite(): GatewayError {
  return new GatewayError("permission_denied", {
    message: "Only a page of this console may ask for this.",
  });
}
