/**
 * AWS's signature, version 4, of any request. Tests compare it with what AWS's own signer makes. No call of the gateway's
 * own tables needs it, so it is loaded with the first that does.
 */
import { createHash, createHmac, hash } from "node:crypto";
import { algorithm, type Credentials, createDayKeys, type SignedFor } from "./signature.ts";

/** Any request. Its body is signed as the bytes that are sent. */
interface AnyRequest {
  method: string;
  /** Whole, with the path percent-encoded as it is sent. */
  url: string;
  /** Those that are signed, by their names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array | string | readonly Uint8Array[];
}

/** The request's headers with those of the signature. `at` is Unix milliseconds. */
export type SignRequest = (
  request: AnyRequest,
  credentials: Credentials,
  at?: number,
) => Record<string, string>;

/** Signs any request to a service, as its rules are for all services but S3: each part of the path is encoded again. */
export function createRequestSigner(scope: SignedFor): SignRequest {
  const keyAt = createDayKeys(scope);
  return (
    { method, url, headers, body },
    { accessKeyId, secretAccessKey, sessionToken },
    at = Date.now(),
  ) => {
    const { host, pathname, searchParams } = new URL(url);
    const { time, scope: named, key } = keyAt(secretAccessKey, at);
    const signed: Record<string, string> = {
      ...headers,
      host,
      "x-amz-date": time,
      ...(sessionToken && { "x-amz-security-token": sessionToken }),
    };
    const names = Object.keys(signed).sort();
    const lines = names.map((name) => `${name}:${signed[name]?.trim().replace(/\s+/g, " ")}\n`);
    const request = [
      method,
      pathname.split("/").map(escaped).join("/"),
      queryOf(searchParams),
      lines.join(""),
      names.join(";"),
      digestOf(body),
    ].join("\n");
    const text = `${algorithm}\n${time}\n${named}\n${hash("sha256", request)}`;
    const signature = createHmac("sha256", key).update(text).digest("hex");
    const credential = `Credential=${accessKeyId}/${named}, SignedHeaders=${names.join(";")}`;
    return { ...signed, authorization: `${algorithm} ${credential}, Signature=${signature}` };
  };
}

function digestOf(body: AnyRequest["body"]): string {
  if (typeof body === "string" || body instanceof Uint8Array) return hash("sha256", body);
  const digest = createHash("sha256");
  for (const slice of body) digest.update(slice);
  return digest.digest("hex");
}

/** A query in the order of its names and values, each of them encoded anew. */
function queryOf(query: URLSearchParams): string {
  const pairs = Array.from(query, (pair) => pair.map(escaped));
  // A space is less than every character of theirs, so that a name comes before those that it begins.
  return pairs
    .map((pair) => pair.join(" "))
    .sort()
    .map((pair) => pair.replace(" ", "="))
    .join("&");
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
