/** What AWS's own signer makes of a request: our signatures are held against it. */
import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Credentials } from "#shared/base/platform/signature.ts";

/** The hash that AWS's signer asks for. */
class Sha256 {
  readonly #hash;
  constructor(secret?: Uint8Array | string) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
  }
  update(data: Uint8Array): void {
    this.#hash.update(data);
  }
  reset(): void {
    throw new Error("AWS's signer makes a new hash for each text");
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** The headers that AWS's signer gives a request at `at` (Unix ms). It takes a path as it is sent, and a query decoded. */
export async function awsSigned(
  scope: { service: string; region: string },
  { method, url, headers: given, body }: Request,
  credentials: Credentials,
  at: number,
): Promise<Record<string, string>> {
  const { protocol, hostname, host, pathname, searchParams } = new URL(url);
  const names = [...new Set(searchParams.keys())];
  const query = Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)]));
  const signer = new SignatureV4({ ...scope, credentials, sha256: Sha256 as never, applyChecksum: false });
  const request = {
    ...{ protocol, hostname, path: pathname, query, method, body },
    headers: { ...given, host },
  };
  const { headers } = await signer.sign(request, { signingDate: new Date(at) });
  return headers;
}
