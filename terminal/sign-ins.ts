/** Where the sign-ins of this person are kept: one file that nobody else may read, and a lock for who changes it. */
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** A sign-in at one console. */
export interface SignIn {
  /** The address of the console, such as `https://console.example.com`. */
  console: string;
  /** What the key is for. */
  gateway: string;
  token_endpoint: string;
  revocation_endpoint: string;
  key: string;
  /** When the key ends, Unix milliseconds. */
  ends_at: number;
  refresh_token: string;
}

/** The sign-ins, the one that was made last in front. */
type SignIns = SignIn[];

/** A lock that is older has been left by a program that died. */
const lockAgeMsMax = 60_000;
const lockPauseMs = 100;

/** The folder of our settings, by the rule of the system. */
function folder(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  const base =
    process.platform === "win32" && APPDATA ? APPDATA : XDG_CONFIG_HOME || join(homedir(), ".config");
  return join(base, "model-gateway");
}

const file = (): string => join(folder(), "sign-ins.json");

/** All sign-ins. A file that is none of ours counts as empty: then people sign in again. */
export async function readSignIns(): Promise<SignIns> {
  try {
    const kept: unknown = JSON.parse(await readFile(file(), "utf8"));
    return Array.isArray(kept) ? (kept as SignIns) : [];
  } catch {
    return [];
  }
}

/** Writes all sign-ins. A reader finds the file as it was or as it is, and never a part of it. */
export async function writeSignIns(all: SignIns): Promise<void> {
  await makeFolder();
  const next = `${file()}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(all, undefined, 2)}\n`, { mode: 0o600 });
  await rename(next, file());
}

/**
 * Runs `change` while no other program of ours does. Two that refresh at once would each get the same key, so a lock that
 * is taken from a slow program does no harm.
 */
export async function whileLocked<Result>(change: () => Promise<Result>): Promise<Result> {
  const lock = join(folder(), "lock");
  await makeFolder();
  while (!(await isMade(lock))) {
    const made = await stat(lock).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > lockAgeMsMax) await rm(lock, { recursive: true, force: true });
    else await new Promise((resolve) => setTimeout(resolve, lockPauseMs));
  }
  try {
    return await change();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function makeFolder(): Promise<void> {
  await mkdir(folder(), { recursive: true, mode: 0o700 });
}

/** Makes a folder, which only one program can. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "EEXIST") return false;
    throw error;
  }
}
