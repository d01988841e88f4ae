/** Puts the programs into `.local/agents`, each in a folder of its own, once for each version. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findPython } from "#test/support/python-environment.ts";
import type { Program } from "./programs.ts";

const run = promisify(execFile);
const place = join(import.meta.dirname, "../../.local/agents");

/** After which a registry counts as out of reach. */
const fetchMs = 600_000;

/** Gives the path of a program's command, which it installs if it must. Rejects where the registry does not serve it. */
export async function install(program: Program, say: (line: string) => void): Promise<string> {
  const folder = join(place, program.bin);
  const wanted = `${program.package}@${program.version}`;
  const stamp = join(folder, "version");
  const inside = program.registry === "npm" ? "node_modules/.bin" : "bin";
  const command = join(folder, inside, program.bin);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return command;
  say(`${program.name}: installing ${wanted} into .local/agents/${program.bin}`);
  mkdirSync(folder, { recursive: true });
  await (program.registry === "npm" ? fromNpm(folder, program) : fromPip(folder, program, say));
  writeFileSync(stamp, wanted);
  return command;
}

async function fromNpm(folder: string, program: Program): Promise<void> {
  const manifest = {
    private: true,
    dependencies: { [program.package]: program.version },
    allowScripts: { [program.package]: true },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const words = ["install", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", words, { cwd: folder, timeout: fetchMs });
}

async function fromPip(folder: string, program: Program, say: (line: string) => void): Promise<void> {
  const python = await findPython(say);
  if (!python) throw new Error("there is no Python that can make virtual environments");
  await run(python.command, ["-m", "venv", folder]);
  const pip = join(folder, "bin/pip");
  const wanted = `${program.package}==${program.version}`;
  await run(pip, ["install", "--quiet", wanted], { cwd: dirname(folder), timeout: fetchMs });
}
