/** What stays on disk between two runs. Without DATA_DIR nothing does. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { writePrivately } from "../stack/ready-file.ts";
import type { SecretResource } from "../stack/resources.ts";

export interface Persistence {
  /** Whether an earlier run left something. */
  hasState: boolean;
  database: string;
  queues: string;
  secrets: string;
  /** The root key of KMS. */
  kms: string;
  demo: string;
  log: string;
}

/**
 * Opens the folder, or makes it. Only this user may read it, because it holds prompts and answers. All that this
 * process and its children write from now on is private too. Throws when the folder cannot be made or made private,
 * or when another gateway has it. Also when a newer release has written it, in a format that this one does not know.
 */
export async function openPersistence(directory: string): Promise<Persistence> {
  const paths = {
    database: join(directory, "dynamodb.sqlite"),
    queues: join(directory, "queues"),
    secrets: join(directory, "secrets.json"),
    kms: join(directory, "kms.json"),
    demo: join(directory, "demo.json"),
    log: join(directory, "log.jsonl"),
  };
  process.umask(0o077);
  try {
    mkdirSync(paths.queues, { recursive: true });
    makePrivate(directory);
  } catch (error) {
    throw new Error(`DATA_DIR=${directory} cannot be used: ${unusable(error as NodeJS.ErrnoException)}`, {
      cause: error,
    });
  }
  await lockFolder(directory);
  noteFormat(directory);
  const hasState = existsSync(paths.database);
  return { hasState, ...paths };
}

/**
 * Locks the folder until this process ends, however: a second gateway would close the first one's calls. The lock is an abstract socket of Linux, which the kernel frees.
 * Other systems lock nothing. Throws when another process has the folder.
 */
async function lockFolder(directory: string): Promise<void> {
  if (process.platform !== "linux") return;
  const name = createHash("sha256").update(realpathSync(directory)).digest("hex");
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen(`\0model-gateway-${name}`);
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(
      `DATA_DIR=${directory} belongs to a gateway that runs; ATTACH starts another one beside it`,
      { cause: error },
    );
  }
}

/** Why a folder cannot be made or made private, and what to do. */
function unusable({ code, path, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case "ENOTDIR":
    case "EEXIST":
      return "a file is in its place. Name another folder, or move the file away";
    case "EACCES":
    case "EPERM":
      return `this user may not write or change ${path}. Name a folder of your own`;
    case "EROFS":
    case "ENOSPC":
      return "its disk is full or read-only. Name a folder on another disk";
    default:
      return message;
  }
}

/**
 * The format of the folder. It counts up with a change that an earlier release would misread, also in the files of the
 * embedded database and the queues (infra/deploy/upgrades.md "On your machine").
 */
const folderFormat = 1;

/** Notes the format in the folder. A folder without a note is of format 1, which had none. */
function noteFormat(directory: string): void {
  const file = join(directory, "format.json");
  const { format = 1 } = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { format?: number })
    : {};
  if (format > folderFormat) {
    throw new Error(
      `DATA_DIR=${directory} was written by a newer release, in format ${format}. This release knows formats up to ${folderFormat}. Start the newer release, or name another folder`,
    );
  }
  writePrivately(file, { format: folderFormat });
}

/** Makes a folder and all that is in it private. An earlier version may have left it open to other users. */
function makePrivate(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

/** The secrets' values by ARN: the template's own, or generated ones, which `file` keeps for the next run. */
export function secretValues(secrets: SecretResource[], file: string | undefined): Map<string, string> {
  const kept = file ? keptIn(file) : {};
  const values = new Map<string, string>();
  for (const { arn, value } of secrets) {
    if (typeof value === "string") values.set(arn, value);
    else {
      kept[arn] ??= randomBytes(value.generatedLength).toString("hex").slice(0, value.generatedLength);
      values.set(arn, kept[arn]);
    }
  }
  if (file) writePrivately(file, kept);
  return values;
}

/** The root key of KMS, 32 bytes: a new one, which `file` keeps for the next run. */
export function rootKey(file: string | undefined): Buffer {
  if (!file) return randomBytes(32);
  const kept = keptIn(file);
  if (kept.root) return Buffer.from(kept.root, "base64url");
  const root = randomBytes(32);
  writePrivately(file, { root: root.toString("base64url") });
  return root;
}

/** Keeps a new value of a secret that was generated. Others begin anew with each run. */
export function keepSecret(file: string, arn: string, value: string): void {
  const kept = keptIn(file);
  if (Object.hasOwn(kept, arn)) writePrivately(file, { ...kept, [arn]: value });
}

function keptIn(file: string): Record<string, string> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>) : {};
}
