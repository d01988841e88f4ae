/** What a request's headers say about the cache. */
import { GatewayError } from "../errors.ts";
import type { HttpRequest } from "../http/message.ts";

type Headers = HttpRequest["headers"];

/** `auto` where the client says nothing. */
export type CacheWish = "auto" | "exact" | "off";

/** The wish of a call whose header is checked. */
export function cacheWish(headers: Headers): CacheWish {
  const wish = headers["x-gateway-cache"];
  return wish === "exact" || wish === "off" ? wish : "auto";
}

/** Throws `invalid_request` for another value of the header than `off` and `exact`. */
export function checkCacheWish(headers: Headers): void {
  const wish = headers["x-gateway-cache"];
  if (wish === undefined || wish === "off" || wish === "exact") return;
  const message = "The values of x-gateway-cache are `off` and `exact`.";
  throw new GatewayError("invalid_request", { message, param: "x-gateway-cache" });
}

/** What `cache-control` asks of the cache. */
interface CacheControl {
  no_store: boolean;
  no_cache: boolean;
  /** The oldest answer that will do, in seconds. */
  max_age: number | undefined;
}

/** Reads `cache-control`. What it does not know says nothing. */
export function readCacheControl(headers: Headers): CacheControl {
  const told = (headers["cache-control"] ?? "").toLowerCase();
  if (told === "") return { no_store: false, no_cache: false, max_age: undefined };
  const directives = told.split(",").map((directive) => directive.trim());
  const [, seconds] = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,15})"?\s*(?:,|$)/.exec(told) ?? [];
  return {
    no_store: directives.includes("no-store"),
    no_cache: directives.includes("no-cache"),
    max_age: seconds === undefined ? undefined : Number(seconds),
  };
}
