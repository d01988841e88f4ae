/**
 * A function URL as AWS has it (aws.md §1): an event of payload format 2.0 in, and the function's response stream out.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Prelude, Sink } from "./response-stream.ts";

/** Lambda's limit of a synchronous invocation's event, nearly all of which is the body. */
const eventBytesMax = 6 * 1024 * 1024;

/** What is left for the bodies that a port reads at a time. Those up to `smallBytesMax` take nothing of it. */
export interface EventRoom {
  bytes: number;
}

/** A body that every port has room for. */
const smallBytesMax = 64 * 1024;

/**
 * Reads the whole request. Gives undefined when the function is not to be invoked: the client went away, the body is
 * over the limit (413, as on AWS), or there is no room for it (429).
 */
export async function readEvent(
  request: IncomingMessage,
  response: ServerResponse,
  room: EventRoom = { bytes: Number.POSITIVE_INFINITY },
): Promise<APIGatewayProxyEventV2 | undefined> {
  const chunks: Buffer[] = [];
  let [bytes, taken] = [0, 0];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // The rest is read and dropped: a client that still sends would not see the answer.
      if (bytes > eventBytesMax || response.headersSent) continue;
      if (bytes > smallBytesMax) {
        if (chunk.length > room.bytes) answerPlainly(response, 429, { message: "Too Many Requests" });
        else {
          room.bytes -= chunk.length;
          taken += chunk.length;
        }
      }
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  } finally {
    room.bytes += taken;
  }
  if (response.headersSent) return undefined;
  const isText = isTextual(request);
  const eventBytes = isText ? bytes : Math.ceil(bytes / 3) * 4;
  if (eventBytes > eventBytesMax) {
    answerPlainly(response, 413, { message: "Request Entity Too Large" });
    return undefined;
  }
  return toEvent(request, Buffer.concat(chunks, bytes), isText);
}

/** Content types whose bodies AWS passes as text; every other body arrives as base64. */
const textTypes = /^(text\/|application\/(json|javascript|xml)\b|[^;]+\+(json|xml)\b)/i;

function isTextual({ headers }: IncomingMessage): boolean {
  return textTypes.test(headers["content-type"] ?? "") && headers["content-encoding"] === undefined;
}

/** Builds the event. The path stays percent-encoded, and repeated headers are joined by commas. */
function toEvent(request: IncomingMessage, body: Buffer, isText: boolean): APIGatewayProxyEventV2 {
  const { cookie, ...headers } = joinHeaders(request.rawHeaders);
  const target = request.url ?? "/";
  const queryAt = target.indexOf("?");
  const rawPath = queryAt < 0 ? target : target.slice(0, queryAt);
  const rawQueryString = queryAt < 0 ? "" : target.slice(queryAt + 1);
  const sourceIp = request.socket.remoteAddress ?? "127.0.0.1";
  const now = Date.now();
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    ...(cookie ? { cookies: cookie.split(/; */) } : {}),
    headers: {
      ...headers,
      "x-forwarded-for": headers["x-forwarded-for"] ? `${headers["x-forwarded-for"]},${sourceIp}` : sourceIp,
      "x-forwarded-port": String(request.socket.localPort ?? ""),
      "x-forwarded-proto": "http",
    },
    ...(rawQueryString ? { queryStringParameters: joinParameters(rawQueryString) } : {}),
    requestContext: {
      accountId: "anonymous",
      apiId: "local",
      domainName: headers.host ?? "",
      domainPrefix: "local",
      http: {
        method: request.method ?? "GET",
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: "$default",
      stage: "$default",
      time: clfTime(now),
      timeEpoch: now,
    },
    ...(body.length > 0 ? { body: body.toString(isText ? "utf8" : "base64") } : {}),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Headers that end at the first hop. */
const hopByHop = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "expect", "te"]);

function joinHeaders(raw: string[]): Record<string, string> {
  const joined: Record<string, string> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    const value = raw[index + 1] ?? "";
    if (hopByHop.has(name)) continue;
    const separator = name === "cookie" ? "; " : ",";
    joined[name] = name in joined ? `${joined[name]}${separator}${value}` : value;
  }
  return joined;
}

function joinParameters(query: string): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    joined[name] = name in joined ? `${joined[name]},${value}` : value;
  }
  return joined;
}

/** For example `21/Nov/2026:05:00:00 +0000`. */
function clfTime(at: number): string {
  const [, day, month, year, time] = new Date(at).toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}

/**
 * Sends a response stream. When the client goes, the rest is dropped, and the function finishes its work (aws.md §1.4).
 */
export function openSink(response: ServerResponse): Sink {
  response.on("error", () => {});
  return {
    start(prelude) {
      if (response.destroyed) return;
      writePrelude(response, prelude);
      // The headers leave at once, as on AWS, and together with the first chunk if that is there.
      setImmediate(() => {
        if (!response.destroyed) response.flushHeaders();
      });
    },
    write(chunk) {
      if (response.destroyed || response.write(chunk)) return undefined;
      return new Promise((resolve) => {
        const settle = () => {
          response.off("drain", settle);
          response.off("close", settle);
          resolve();
        };
        response.on("drain", settle);
        response.on("close", settle);
      });
    },
    end() {
      if (!response.destroyed) response.end();
    },
  };
}

/** Sends the head of an answer. */
export function writePrelude(
  response: ServerResponse,
  { statusCode = 200, headers = {}, cookies = [] }: Prelude,
): void {
  const passed = Object.entries(headers).filter(([name]) => !hopByHop.has(name.toLowerCase()));
  response.writeHead(statusCode, {
    ...Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
    ...(cookies.length > 0 ? { "set-cookie": cookies } : {}),
  });
}

/** An answer that Lambda itself gives, in its own form. */
function answerPlainly(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** A function that failed: 502 before its first byte, a broken connection after it. */
export function answerFailure(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else answerPlainly(response, 502, { message: "Internal Server Error" });
}
