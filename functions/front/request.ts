/** Requests of node:http in the form in which the pipeline takes them: that of a function URL's event (aws.md §1.5). */
import type { IncomingMessage } from "node:http";
import type { HttpRequest } from "#shared/base/http/message.ts";

type RequestHead = Pick<HttpRequest, "method" | "path" | "query" | "headers">;

/** Nobody changes a query. */
const noQuery = new URLSearchParams();

/** What a request asks for, without its body. The path stays percent-encoded. */
export function readHead({ method = "GET", url = "/", rawHeaders }: IncomingMessage): RequestHead {
  const target = originForm(url);
  const queryAt = target.indexOf("?");
  return {
    method,
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    query: queryAt < 0 ? noQuery : new URLSearchParams(target.slice(queryAt + 1)),
    headers: joinHeaders(rawHeaders),
  };
}

/** The target without scheme and host, which clients of a proxy send with it (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = /^https?:\/\/[^/?]*(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Headers of this hop alone (RFC 9110 §7.6.1), and cookies, which an event has apart. The pipeline reads none of them.
 */
const dropped = new Set("connection cookie expect keep-alive te trailer transfer-encoding".split(" "));

/** Headers by lower-case name. Values of one name are joined by commas, even if Node would keep only the first. */
function joinHeaders(raw: readonly string[]): Record<string, string | undefined> {
  const joined: Record<string, string | undefined> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    if (dropped.has(name)) continue;
    const value = raw[index + 1] ?? "";
    const before = joined[name];
    // Every object has members such as `constructor`, which are no strings.
    joined[name] = typeof before === "string" ? `${before},${value}` : value;
  }
  return joined;
}
