/**
 * AWS's signature, version 4, of a POST to `/` with a JSON body, as all calls of the gateway's own are. Tests compare it
 * with what the package `aws4` makes. Requests of any other form are signed in `request-signature.ts`.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** For whom a signature is made. */
export interface SignedFor {
  /** The service's name in signatures. */
  service: string;
  region: string;
}

/** Where requests go, and in which version of AWS's JSON. */
interface Endpoint extends SignedFor {
  host: string;
  content_type: string;
}

/** What one request asks for: the action with its service's prefix, and its input. */
interface Signable {
  target: string;
  body: Uint8Array;
}

/** All headers of a signed request. `at` is Unix milliseconds. */
type Sign = (asked: Signable, credentials: Credentials, at?: number) => Record<string, string>;

/** A key that signs for one day, and what it was derived from. */
interface DayKey {
  secret: string;
  day: string;
  scope: string;
  key: KeyObject;
}

export const algorithm = "AWS4-HMAC-SHA256";

/** Signs for one endpoint. */
export function createSigner(endpoint: Endpoint): Sign {
  const { host, content_type } = endpoint;
  const keyAt = createDayKeys(endpoint);
  return ({ target, body }, { accessKeyId, secretAccessKey, sessionToken }, at = Date.now()) => {
    const { time, scope, key } = keyAt(secretAccessKey, at);
    const names = `content-length;content-type;host;x-amz-date;${sessionToken ? "x-amz-security-token;" : ""}x-amz-target`;
    const token = sessionToken ? `x-amz-security-token:${sessionToken}\n` : "";
    const lines = `content-length:${body.length}\ncontent-type:${content_type}\nhost:${host}\nx-amz-date:${time}\n${token}x-amz-target:${target}\n`;
    const request = `POST\n/\n\n${lines}\n${names}\n${hash("sha256", body)}`;
    const text = `${algorithm}\n${time}\n${scope}\n${hash("sha256", request)}`;
    const signature = createHmac("sha256", key).update(text).digest("hex");
    return {
      host,
      "content-length": String(body.length),
      "content-type": content_type,
      "x-amz-date": time,
      "x-amz-target": target,
      ...(sessionToken && { "x-amz-security-token": sessionToken }),
      authorization: `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    };
  };
}

interface TimedKey extends DayKey {
  /** As AWS writes it, to the second. */
  time: string;
}

/** The key that signs at a time. It is derived anew each day and for new credentials, the time written each second. */
export function createDayKeys(scope: SignedFor): (secret: string, at: number) => TimedKey {
  let known: TimedKey | undefined;
  let second = Number.NaN;
  let time = "";
  return (secret, at) => {
    if (Math.floor(at / 1000) !== second) {
      second = Math.floor(at / 1000);
      time = timeOf(at);
    }
    const day = time.slice(0, 8);
    if (known?.day !== day || known.secret !== secret) known = { ...dayKey(scope, secret, day), time };
    known.time = time;
    return known;
  };
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
}

function dayKey({ region, service }: SignedFor, secret: string, day: string): DayKey {
  const steps = [day, region, service, "aws4_request"];
  const start = Buffer.from(`AWS4${secret}`);
  const key = steps.reduce((before, step) => createHmac("sha256", before).update(step).digest(), start);
  // As a key object: Node takes ten times as long to prepare the bytes of a key for each signature.
  return { secret, day, scope: steps.join("/"), key: createSecretKey(key) };
}
