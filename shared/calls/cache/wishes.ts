/** What a request's headers say about the cache. */

import { GatewayError } from "../../base/errors.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import { type CacheUse, keyCaches } from "../../books/accounts/key-defaults.ts";

type Headers = HttpRequest["headers"];

/** `auto` where neither the call nor its key says anything. */
type CacheWish = "auto" | CacheUse;

/** The wish of a call whose header is checked: the header's, else its key's. */
export function cacheWish(headers: Headers, { cache }: { cache?: CacheUse }): CacheWish {
  return (headers["x-gateway-cache"] as CacheUse | undefined) ?? cache ?? "auto";
}

/** Throws `invalid_request` for another value of the header than `off`, `exact` and `semantic`. */
export function checkCacheWish(headers: Headers): void {
  const wish = headers["x-gateway-cache"];
  if (wish === undefined || keyCaches.some((each) => each === wish)) return;
  const message = "The values of x-gateway-cache are `off`, `exact` and `semantic`.";
  throw new GatewayError("invalid_request", { message, param: "x-gateway-cache" });
}

export interface CacheControl {
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
