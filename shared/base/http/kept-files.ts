/** Compressed files that lie beside a bundle, read once. Only types are imported: the gateway's start must not grow. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { HttpReply, HttpRequest } from "./message.ts";

/** A file of the folder, as `indexName` lists it. It lies there compressed, as `NAME.br` and as `NAME.gz`. */
export interface KeptFile {
  type: string;
  /** The beginning of the SHA-256 of its bytes. */
  hash: string;
}

export type KeptIndex = Readonly<Record<string, KeptFile>>;

export const indexName = "index.json";

/** The files of a folder, each read once. */
export interface KeptFolder {
  index: KeptIndex;
  read(name: string): Promise<Buffer>;
}

const folders = new Map<string, Promise<KeptFolder>>();

/** The folder at a path. Rejects when its index cannot be read. */
export const folderOf = (path: string): Promise<KeptFolder> =>
  readOnce(folders, path, () => openFolder(path));

/** What was read before, or is read now. What could not be read is tried again. */
export function readOnce<Value>(
  kept: Map<string, Promise<Value>>,
  name: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const reading = kept.get(name) ?? read();
  kept.set(name, reading);
  reading.catch(() => kept.delete(name));
  return reading;
}

async function openFolder(path: string): Promise<KeptFolder> {
  const index = JSON.parse(await readFile(join(path, indexName), "utf8")) as KeptIndex;
  const files = new Map<string, Promise<Buffer>>();
  return {
    index,
    read: (name) => readOnce(files, name, () => readFile(join(path, name))),
  };
}

const inflate = promisify(gunzip);

interface FileRequest {
  name: string;
  headers: HttpRequest["headers"];
  /** What every answer says, also one without a body. */
  common: Record<string, string>;
  /** What a page says besides, and no other file. */
  html: Record<string, string>;
}

/** Answers with a file in an encoding that the client takes, or with 304. Undefined: there is no such file. */
export async function keptReply(
  { name, headers, common, html }: FileRequest,
  { index, read }: KeptFolder,
): Promise<HttpReply | undefined> {
  const file = Object.hasOwn(index, name) ? index[name] : undefined;
  if (!file) return undefined;
  const encoding = encodingFor(headers);
  const etag = `"${file.hash}${encoding === undefined ? "" : `-${encoding}`}"`;
  const said = { etag, ...common };
  if (isKnown(headers["if-none-match"], etag)) return { status: 304, headers: said, body: "" };
  const bytes = await read(`${name}.${encoding === "br" ? "br" : "gz"}`);
  return {
    status: 200,
    headers: {
      "content-type": file.type,
      ...said,
      ...(encoding && { "content-encoding": encoding }),
      ...(file.type.startsWith("text/html") && html),
    },
    body: encoding === undefined ? await inflate(bytes) : bytes,
  };
}

/** The best encoding of ours that a client takes; undefined: none. */
export function encodingFor(headers: HttpRequest["headers"]): "br" | "gzip" | undefined {
  const accepted = headers["accept-encoding"];
  return accepts(accepted, "br") ? "br" : accepts(accepted, "gzip") ? "gzip" : undefined;
}

/** Whether a list such as `br;q=1, gzip;q=0` names a value and does not refuse it (RFC 9110 §12.4.2). */
export function accepts(list: string | undefined, value: string): boolean {
  return (list ?? "").split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === value && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  });
}

/** Whether the client has these bytes already (RFC 9110 §13.1.2). */
export function isKnown(list: string | undefined, etag: string): boolean {
  return (list ?? "")
    .split(",")
    .some((item) => item.trim().replace(/^W\//, "") === etag || item.trim() === "*");
}
