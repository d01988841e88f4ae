/** Requests of node:http in the form in which the pipeline takes them: that of a function URL's event (aws.md §1.5). */
import type { IncomingMessage } from "node:http";
import type { HttpRequest } from "#shared/http/message.ts";
import { limits } from "#shared/limits.ts";
import { free } from "#shared/platform/pinned-memory.ts";

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
  const rest = /^https?:\/\/[^/?]*(.*)$/is.exec(target)?.[1];
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

type Outcome = Buffer | "too_large" | "global_rate_limited" | undefined;

/**
 * Reads the body whole, with one copy at most. Gives the error if it is too large or there is no room for it, and
 * undefined if the client went away before its end. The caller gives the room of a body back.
 */
export function readBody(incoming: IncomingMessage, room: Room): Buffer | Promise<Outcome> {
  const { "content-length": declared, "transfer-encoding": encoding } = incoming.headers;
  if (encoding === undefined && (declared === undefined || Number(declared) === 0)) return none;
  if (declared !== undefined && Number(declared) > limits.bodyBytesMax) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    const body = gather(encoding === undefined ? Number(declared) : undefined);
    let bytes = 0;
    const settle = (outcome: Outcome): void => {
      incoming.off("data", onData).off("end", onEnd).off("close", onClose);
      if (!Buffer.isBuffer(outcome)) room.give(bytes);
      resolve(outcome);
    };
    const onData = (piece: Buffer): void => {
      if (bytes + piece.length > limits.bodyBytesMax) settle("too_large");
      else if (!room.take(piece.length)) settle("global_rate_limited");
      else {
        bytes += piece.length;
        body.add(piece);
      }
    };
    const onEnd = (): void => settle(body.whole());
    const onClose = (): void => settle(undefined);
    incoming.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

/** Puts the pieces of one body together. */
interface Gathering {
  add(piece: Buffer): void;
  whole(): Buffer;
}

/**
 * Gathers a body of so many bytes, or of undefined if nobody has said how many. Its memory is taken once a quarter of
 * it is here, so a client that declares much and sends little cannot take much. From then on each piece is copied as it
 * comes, and its own memory is given back.
 */
function gather(declared = 0): Gathering {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let place: Buffer | undefined;
  const move = (piece: Buffer, to: Buffer): void => {
    bytes += piece.copy(to, bytes);
    free(piece);
  };
  return {
    add(piece) {
      if (place) {
        move(piece, place);
        return;
      }
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= declared || bytes * 4 < declared) return;
      place = Buffer.allocUnsafeSlow(declared);
      bytes = 0;
      for (const kept of pieces) move(kept, place);
      pieces = [];
    },
    whole: () => place ?? (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytes)),
  };
}
