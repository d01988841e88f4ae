/** Lets pages of every origin call: a key is in a header, never in a cookie. No page can make or change keys. */
import { limits } from "../limits.ts";
import type { HttpReply, HttpRequest } from "./message.ts";
import { type Match, match } from "./router.ts";
import type { Route } from "./routes.ts";

/** Operations that no page of another origin may use. */
const closed: ReadonlySet<Route["operation"]> = new Set([
  "create_key",
  "change_key",
  "revoke_key",
  "rotate_key",
  "disable_key",
  "enable_key",
]);

/** Headers of an answer that a page may always read, or that are not for it. */
const unlisted = new Set(["cache-control", "content-type", "vary", "x-content-type-options"]);

/** The answer to a browser's preflight, without a key. Undefined for other requests, and where no page may call. */
export function answerPreflight(request: HttpRequest): HttpReply | undefined {
  const { headers, path } = request;
  const method = methodAsked(request);
  if (method === undefined || isClosed(match(method, path))) return undefined;
  const asked = headers["access-control-request-headers"] ?? "";
  return {
    status: 204,
    headers: {
      // A browser remembers every method that is named here, and does not ask again for this path.
      ...(/^[A-Z]{1,20}$/.test(method) && { "access-control-allow-methods": method }),
      // SDKs send many headers of their own. Each may be sent; we read the ones we know.
      ...(isNames(asked) && { "access-control-allow-headers": asked }),
      "access-control-max-age": String(limits.preflightSeconds),
      vary: "access-control-request-method, access-control-request-headers",
    },
    body: "",
  };
}

/** The headers of an answer with those that let a page of another origin read it, where any may. */
export function readableHeaders(
  headers: Record<string, string>,
  request: HttpRequest,
  found: Match,
): Record<string, string> {
  const method = methodAsked(request);
  if (isClosed(method === undefined ? found : match(method, request.path))) return headers;
  const exposed = Object.keys(headers).filter((name) => !unlisted.has(name));
  return {
    ...headers,
    "access-control-allow-origin": "*",
    "access-control-expose-headers": exposed.join(", "),
  };
}

/** The method that a preflight asks for; undefined for every other request. */
function methodAsked({ method, headers }: HttpRequest): string | undefined {
  if (method !== "OPTIONS" || headers.origin === undefined) return undefined;
  return headers["access-control-request-method"];
}

function isClosed(found: Match): boolean {
  return found.found && closed.has(found.route.operation);
}

/** Whether a text is a list of header names, which is safe to repeat. */
function isNames(text: string): boolean {
  return text.length <= limits.preflightHeadersCharsMax && /^[\w-]+(?: *, *[\w-]+)*$/.test(text);
}
