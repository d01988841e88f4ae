/** Bodies that a client has encoded to send fewer bytes (RFC 9110 §8.4). */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import { GatewayError, invalidRequest } from "../errors.ts";
import { limits } from "../limits.ts";
import { bodyTooLarge, type HttpRequest } from "./message.ts";

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};
const known = Object.keys(decoders).join(", ");

/**
 * Decodes a request's body in place, the last encoding first. Throws `unsupported_encoding`, `invalid_request` for wrong
 * bytes, and `too_large`.
 */
export async function decodeBody(request: HttpRequest): Promise<void> {
  const encodings = encodingsOf(request.headers["content-encoding"]);
  if (encodings.length > limits.bodyEncodingsMax) throw unsupported();
  for (const encoding of encodings.toReversed()) {
    const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
    if (!decode) throw unsupported();
    request.body = await decode(request.body, { maxOutputLength: limits.bodyBytesMax }).catch(
      (error: unknown) => {
        throw isTooLarge(error)
          ? bodyTooLarge()
          : invalidRequest(`The body is not encoded as \`${encoding}\`.`);
      },
    );
  }
  if (encodings.length > 0) delete request.headers["content-encoding"];
}

function encodingsOf(header = ""): string[] {
  const named = header.split(",").map((each) => each.trim().toLowerCase());
  return named.filter((each) => each !== "" && each !== "identity");
}

function unsupported(): GatewayError {
  const message = `This \`content-encoding\` is not supported. It may be ${known}.`;
  return new GatewayError("unsupported_encoding", { message, headers: { "accept-encoding": known } });
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
