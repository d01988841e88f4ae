/** Files for browsers that are laid beside a bundle, compressed once, so that no call pays for it. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { indexName, type KeptFile } from "#shared/base/http/kept-files.ts";

/** A file before it is compressed. */
export interface FileBytes extends KeptFile {
  name: string;
  bytes: Buffer;
}

export const fileTypes = {
  html: "text/html; charset=utf-8",
  json: "application/json",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  svg: "image/svg+xml",
} as const;

/** A file with its type and the hash of its bytes. */
export function fileOf(name: string, type: keyof typeof fileTypes, content: string | Uint8Array): FileBytes {
  const bytes = Buffer.from(content as string);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  return { name, type: fileTypes[type], hash, bytes };
}

/** How hard each encoding tries: Brotli to 11, gzip to 9. */
export interface CompressionLevels {
  brotli: number;
  gzip: number;
}

/** The folder of these files: each in two encodings, and their index. The same files give the same bytes. */
export function compressedFiles(
  all: readonly FileBytes[],
  levels: CompressionLevels,
): [name: string, bytes: Buffer][] {
  const index = Object.fromEntries(all.map(({ name, type, hash }) => [name, { type, hash }]));
  return [
    [indexName, Buffer.from(JSON.stringify(index))],
    ...all.flatMap(({ name, bytes }): [string, Buffer][] => [
      [`${name}.br`, brotli(bytes, levels.brotli)],
      [`${name}.gz`, gzipSync(bytes, { level: levels.gzip })],
    ]),
  ];
}

function brotli(bytes: Buffer, quality: number): Buffer {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params });
}

/** Writes a folder, which is made if it is not there. */
export function writeFiles(folder: string, files: readonly [name: string, bytes: Buffer][]): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}
