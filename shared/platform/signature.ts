/**
 * AWS's signature, version 4, for the one kind of request that is made here: a POST to `/` with a body. The tests
 * compare every header with what the package `aws4` makes.
 */
import { createHmac, hash } from "node:crypto";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface Signable {
  service: string;
  region: string;
  host: string;
  /** Names in lower case, values without white space around them. */
  headers: Record<string, string>;
  body: string;
}

const algorithm = "AWS4-HMAC-SHA256";

/** Signing keys by the values they are derived from: secret, day, region and service. */
const keys = new Map<string, Buffer>();
/** One process needs fewer in a day: its credentials change every few hours. */
const keysMax = 64;

/** All headers of a signed request: those given and those of the signature. `at` is Unix milliseconds. */
export function signedHeaders(
  { service, region, host, headers, body }: Signable,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  at: number = Date.now(),
): Record<string, string> {
  const time = `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const all: Record<string, string> = {
    ...headers,
    host,
    "content-length": String(Buffer.byteLength(body)),
    "x-amz-date": time,
    ...(sessionToken && { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(all).sort();
  const signed = names.join(";");
  const lines = names.map((name) => `${name}:${all[name]}`);
  const request = ["POST", "/", "", ...lines, "", signed, hash("sha256", body)].join("\n");
  const scope = [time.slice(0, 8), region, service, "aws4_request"];
  const text = [algorithm, time, scope.join("/"), hash("sha256", request)].join("\n");
  const signature = hmac(keyOf(secretAccessKey, scope), text).toString("hex");
  const credential = `Credential=${accessKeyId}/${scope.join("/")}`;
  return {
    ...all,
    authorization: `${algorithm} ${credential}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

function keyOf(secret: string, scope: string[]): Buffer {
  const name = [secret, ...scope].join("\n");
  const known = keys.get(name);
  if (known) return known;
  const key = scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
  if (keys.size >= keysMax) keys.clear();
  keys.set(name, key);
  return key;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
