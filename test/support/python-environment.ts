/**
 * Virtual environments for tests that need Python: made once, kept in `.local/python`, made anew when their pins change.
 */
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const place = join(import.meta.dirname, "../../.local/python");
const oldest = [3, 10] as const;

/** A Python that can make virtual environments. */
export interface Python {
  command: string;
  version: string;
}

/**
 * The first Python of the machine that is new enough; `PYTHON` names another. Gives undefined and says
 * why there is none.
 */
export async function findPython(say: (line: string) => void): Promise<Python | undefined> {
  const commands = process.env.PYTHON ? [process.env.PYTHON] : ["python3", "python"];
  const script = "import ensurepip, sys, venv; print('.'.join(map(str, sys.version_info[:3])))";
  for (const command of commands) {
    const answer = await run(command, ["-c", script]).catch((error: Error) => error);
    if (answer instanceof Error) {
      say(`${command}: ${answer.message.trim().split("\n").at(-1)}`);
      continue;
    }
    const version = answer.stdout.trim();
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return { command, version };
    say(`${command}: version ${version} is older than ${oldest.join(".")}`);
  }
  return undefined;
}

/**
 * Says that a test with Python did not run, and why. Gives its exit code: 0, but 1 where `CI` is set, because there
 * nobody would see that it is never run.
 */
export function skip(what: string, reason: string): number {
  const isCi = process.env.CI === "true" || process.env.CI === "1";
  console.error(`${isCi ? "FAILED" : "SKIPPED"}: ${what} did not run, because ${reason}.`);
  return isCi ? 1 : 0;
}

/** Why a test did not run where `findPython` finds nothing. */
export const withoutPython = `there is no Python ${oldest.join(".")} or newer with venv on this machine`;

/**
 * Gives the interpreter of the environment `name` with exactly the pins of the file `requirements`, which it installs
 * if it must. Rejects where pip fails.
 */
export async function prepare(
  name: string,
  requirements: string,
  python: Python,
  say: (line: string) => void,
): Promise<string> {
  const folder = join(place, name);
  const interpreter = join(folder, "bin/python");
  const stampFile = join(folder, "pins.sha256");
  const pins = readFileSync(requirements, "utf8");
  const stamp = createHash("sha256").update(`${python.version}\n${pins}`).digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return interpreter;
  const count = pins.split("\n").filter((line) => line.includes("==")).length;
  say(`${name}: installing ${count} packages into .local/python/${name}, which takes a minute or two`);
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const progress = setInterval(() => say(`${name}: still installing after ${elapsed()}`), 20_000);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    await run(python.command, ["-m", "venv", folder]);
    // The pins are complete, so nothing has to be resolved; compiling at once would take longer than it saves.
    await pip(interpreter, "install", "--quiet", "--no-deps", "--no-compile", "--requirement", requirements);
    await pip(interpreter, "check");
  } finally {
    clearInterval(progress);
  }
  writeFileSync(stampFile, stamp);
  say(`${name}: installed in ${elapsed()}`);
  return interpreter;
}

async function pip(interpreter: string, ...words: string[]): Promise<void> {
  const child = spawn(interpreter, ["-m", "pip", "--disable-pip-version-check", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (told += String(data)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`pip ${words[0]} failed:\n${told.trim()}`);
}
