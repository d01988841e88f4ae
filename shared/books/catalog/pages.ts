/** Pages of the list of models, as the vendors' clients ask for them. A request without a size gets the whole list. */
import { invalidParameter } from "../../base/http/query.ts";
import { limits } from "../../base/limits.ts";
import type { Model } from "./catalog.ts";

interface Page {
  models: readonly Model[];
  /** Whether more follow, in the direction that the request pages in. */
  hasMore: boolean;
}

/** The page that Anthropic's `limit`, `after_id`, `before_id` and `lifecycle` ask for. Throws `invalid_request`. */
export function anthropicPage(models: readonly Model[], query: URLSearchParams): Page {
  const limit = readSize(query, "limit");
  const [after, before] = [query.get("after_id"), query.get("before_id")];
  if (after && before)
    throw invalidParameter("before_id", "Only one of `after_id` and `before_id` can be given.");
  const wanted = [...query.getAll("lifecycle"), ...query.getAll("lifecycle[]")];
  // Every model of the catalog can be called, so all of them are `active`.
  const listed = wanted.length === 0 || wanted.includes("active") ? models : [];
  if (!before) return pageFrom(listed, after ? placeOf(after, listed, "after_id") + 1 : 0, limit);
  const end = placeOf(before, listed, "before_id");
  const start = Math.max(0, end - limit);
  return { models: listed.slice(start, end), hasMore: start > 0 };
}

/** The page that Google's `pageSize` and `pageToken` ask for, and the token of the next. Throws `invalid_request`. */
export function geminiPage(
  models: readonly Model[],
  query: URLSearchParams,
): { models: readonly Model[]; nextPageToken?: string } {
  const token = query.get("pageToken");
  const last = token && Buffer.from(token, "base64url").toString("utf8");
  const start = last ? placeOf(last, models, "pageToken") + 1 : 0;
  const { models: page, hasMore } = pageFrom(models, start, readSize(query, "pageSize"));
  const end = page.at(-1);
  if (!hasMore || !end) return { models: page };
  return { models: page, nextPageToken: Buffer.from(end.id).toString("base64url") };
}

function pageFrom(models: readonly Model[], start: number, size: number): Page {
  return { models: models.slice(start, start + size), hasMore: start + size < models.length };
}

function placeOf(id: string, models: readonly Model[], name: string): number {
  const place = models.findIndex((model) => model.id === id);
  if (place < 0) throw invalidParameter(name, `\`${name}\` does not name a model of this list.`);
  return place;
}

/** Google lowers a size above its bound to the bound; Anthropic's clients never send one. Google's 0 means no wish. */
function readSize(query: URLSearchParams, name: "limit" | "pageSize"): number {
  const given = query.get(name);
  if (!given) return limits.modelPageMax;
  const size = /^\d{1,9}$/.test(given) ? Number(given) : -1;
  if (size === 0 && name === "pageSize") return limits.modelPageMax;
  if (size < 1 || (size > limits.modelPageMax && name === "limit"))
    throw invalidParameter(name, `\`${name}\` must be an integer between 1 and ${limits.modelPageMax}.`);
  return Math.min(size, limits.modelPageMax);
}
