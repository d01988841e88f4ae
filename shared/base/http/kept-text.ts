/** A text that many are given as it is: encoded once for each encoding, and known again by its hash. */
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { encodingFor, isKnown } from "./kept-files.ts";
import type { HttpReply, HttpRequest } from "./message.ts";

/** Higher ones need many times as long, for a tenth less. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const encoders = {
  br: (text: string) => brotliCompressSync(text, quality),
  gzip: (text: string) => gzipSync(text),
};

/** Answers with the text as the client takes it, or 304. `said` are headers of every answer, `own` those of the text. */
export function keptText(
  text: string,
): (
  asked: HttpRequest["headers"],
  headers: { said?: Record<string, string>; own: Record<string, string> },
) => HttpReply {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const encoded = new Map<string, Buffer>();
  const bodyIn = (encoding: "br" | "gzip") => {
    const body = encoded.get(encoding) ?? encoders[encoding](text);
    encoded.set(encoding, body);
    return body;
  };
  return (asked, { said = {}, own }) => {
    const encoding = encodingFor(asked);
    const etag = `"${hash}-${encoding ?? "none"}"`;
    const headers = { ...said, etag, vary: "accept-encoding" };
    if (isKnown(asked["if-none-match"], etag)) return { status: 304, headers, body: "" };
    return {
      status: 200,
      headers: { ...headers, ...own, ...(encoding && { "content-encoding": encoding }) },
      body: encoding ? bodyIn(encoding) : text,
    };
  };
}
