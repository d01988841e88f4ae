/**
 * The embedded DynamoDB's program for this machine. Each platform has a package, and the lock file names that of Linux
 * x64 alone. Elsewhere npm gets it once, checked by its hash, into where `npm ci` leaves it alone.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

/** The packages by name and version, each with its hash as npm writes it; null where nobody has seen it yet. */
export type Hashes = Record<string, string | null>;

interface DatabasePlace {
  /** As Node names it: `darwin-arm64`. */
  platform: string;
  hashes: Hashes;
  /** Where what npm brought is kept, and the hashes that were seen first. */
  folder: string;
}

/** The hashes that this repository knows. */
export const knownHashes = JSON.parse(
  readFileSync(join(import.meta.dirname, "database-hashes.json"), "utf8"),
) as Hashes;

const thisMachine: DatabasePlace = {
  platform: `${process.platform}-${process.arch}`,
  hashes: knownHashes,
  folder: join(root, ".local/database"),
};

const programName = "dynoxide";

/**
 * The path of the program. Where it has to be fetched first, `say` is told so. Rejects where there is none for the
 * platform, npm cannot get it, or it has another hash than it should have; nothing is kept or run then.
 */
export async function databaseProgram(
  say: (line: string) => void,
  place: DatabasePlace = thisMachine,
): Promise<string> {
  const { platform, hashes, folder } = place;
  const installed = installedProgram(platform);
  if (installed) return installed;
  const version = databaseVersion();
  const spec = `@dynoxide/${platform}@${version}`;
  if (!Object.hasOwn(hashes, spec)) throw new Error(`${noneFor(platform)}. ${otherwise}`);
  const kept = join(folder, `${platform}-${version}`);
  const program = join(kept, programName);
  if (existsSync(program)) return program;
  const isFirst = !hashes[spec] && !seenHashes(folder)[spec];
  const remark = isFirst ? ". Nobody has noted its hash yet, so this one is remembered" : "";
  say(`Getting the database for ${platform} by npm, this once: ${spec}${remark}`);
  await fetchInto(kept, spec, place);
  return program;
}

/** The program that `npm ci` has installed. */
function installedProgram(platform: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${platform}/${programName}`);
  } catch {
    return undefined;
  }
}

/** The version that the lock file names for Linux x64, and all platforms have. */
function databaseVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  const version = optionalDependencies["@dynoxide/linux-x64"];
  if (version === undefined) throw new Error("package.json names no embedded DynamoDB");
  return version;
}

const otherwise =
  "Run another DynamoDB (DynamoDB Local, for example) and give its address in DYNAMODB_ENDPOINT.";

function noneFor(platform: string): string {
  const hint = platform.startsWith("win32") ? ": on Windows this runs within WSL" : "";
  return `there is no embedded DynamoDB for ${platform}${hint}`;
}

/** Gets the package into a folder beside `kept`, and puts it there when it is whole and has the right hash. */
async function fetchInto(kept: string, spec: string, { hashes, folder }: DatabasePlace): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const partial = mkdtempSync(join(folder, "partial-"));
  try {
    const archive = await packed(spec, partial);
    checkHash(spec, hashOf(archive), { hashes, folder });
    // The archive has one folder, "package".
    await run("tar", ["-xzf", archive, "-C", partial]);
    const content = join(partial, "package");
    chmodSync(join(content, programName), 0o755);
    keep(content, kept);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Lets npm get the package, and gives its archive. npm runs where it finds the settings of this project too. */
async function packed(spec: string, folder: string): Promise<string> {
  // Without these two, npm waits more than a minute before it says that there is no network.
  const patience = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=4000"];
  const words = ["pack", spec, "--pack-destination", folder, "--loglevel=error", ...patience];
  try {
    await run("npm", words, { cwd: root });
  } catch (error) {
    throw new Error(`npm cannot get ${spec}: ${reasonOf(error)}\n${otherwise}`, { cause: error });
  }
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error(`npm says that it has ${spec}, and has written nothing`);
  return join(folder, archive);
}

/** What npm has said, without its prefix and without the place of its log. */
function reasonOf(error: unknown): string {
  const { stderr = "", message } = error as Error & { stderr?: string };
  const lines = stderr.split("\n").map((line) => line.replace(/^npm (?:error|ERR!) ?/, "").trim());
  const said = lines.filter((line) => line !== "" && !/^code |A complete log/.test(line));
  return said.slice(0, 2).join(" ") || message;
}

function hashOf(archive: string): string {
  return `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
}

const seenName = "hashes.json";

/** The hashes of what came first, where the repository knows none. */
function seenHashes(folder: string): Hashes {
  const file = join(folder, seenName);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Hashes) : {};
}

/** Throws where a package has another hash than the repository or the first one that came. The first one is remembered. */
function checkHash(spec: string, hash: string, { hashes, folder }: Omit<DatabasePlace, "platform">): void {
  const seen = seenHashes(folder);
  const expected = hashes[spec] ?? seen[spec];
  if (expected === hash) return;
  const file = join(folder, seenName);
  if (expected) {
    const known = hashes[spec] ? "this repository" : file;
    throw new Error(
      `${spec} came with the hash ${hash}, and ${known} says ${expected}. It was not kept, and nothing of it was run.`,
    );
  }
  writeFileSync(file, `${JSON.stringify({ ...seen, [spec]: hash }, null, 2)}\n`);
}

/** Puts a whole folder in its place. Another start may have done so meanwhile. */
function keep(content: string, kept: string): void {
  try {
    renameSync(content, kept);
  } catch (error) {
    if (!existsSync(join(kept, programName))) throw error;
  }
}
