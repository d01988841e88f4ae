/** Requests of node:http in the form in which the pipeline takes them: that of a function URL's event (aws.md §1.5). */
import type { IncomingMessage } from "node:http";
import type { HttpRequest } from "#shared/http/message.ts";
import { limits } from "#shared/limits.ts";

type Asked = Pick<HttpRequest, "method" | "path" | "query" | "headers">;

/** What a request asks for, without its body. The path stays percent-encoded. */
export function readHead({ method = "GET", url = "/", rawHeaders }: IncomingMessage): Asked {
  const target = originForm(url);
  const queryAt = target.indexOf("?");
  return {
    method,
    path: queryAt < 0 ? target : target.slice(0, queryAt),
    query: new URLSearchParams(queryAt < 0 ? "" : target.slice(queryAt + 1)),
    headers: joinHeaders(rawHeaders),
  };
}

/** The target without scheme and host, which clients of a proxy send with it (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = /^https?:\/\/[^/?]*(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Headers that are meant for this hop alone (RFC 9110 §7.6.1), and cookies, which an event of Lambda has apart from its
 * headers. The pipeline reads none of them.
 */
const dropped = new Set([
  "connection",
  "cookie",
  "expect",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

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

/** How many bytes of bodies a process may have in memory at a time. */
export interface Room {
  /** Takes so many bytes. Gives false, and takes none, if they do not fit. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** Room for so many bytes. */
export function createRoom(bytesMax: number): Room {
  let left = bytesMax;
  return {
    take(bytes) {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    give(bytes) {
      left += bytes;
    },
  };
}

const none = Buffer.alloc(0);

/**
 * Reads the body whole, with one copy at most. Gives the error if it is too large or there is no room for it, and
 * undefined if the client went away before its end. The caller gives the room of a body back.
 */
export function readBody(
  incoming: IncomingMessage,
  room: Room,
): Buffer | Promise<Buffer | "too_large" | "global_rate_limited" | undefined> {
  const { "content-length": declared, "transfer-encoding": encoding } = incoming.headers;
  if (encoding === undefined && (declared === undefined || Number(declared) === 0)) return none;
  if (declared !== undefined && Number(declared) > limits.bodyBytesMax) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: Buffer | "too_large" | "global_rate_limited" | undefined): void => {
      incoming.off("data", onData).off("end", onEnd).off("close", onClose);
      if (!Buffer.isBuffer(outcome)) room.give(bytes);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      if (bytes + chunk.length > limits.bodyBytesMax) settle("too_large");
      else if (!room.take(chunk.length)) settle("global_rate_limited");
      else {
        bytes += chunk.length;
        chunks.push(chunk);
      }
    };
    const onEnd = (): void => settle(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes));
    const onClose = (): void => settle(undefined);
    incoming.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}
