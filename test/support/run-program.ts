import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { keyVariable } from "../../console/sdk-programs.ts";

/** Runs a JavaScript program as its reader would, and gives what it prints. The SDKs are those of this project. */
export async function runProgram(program: string, key: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd: join(import.meta.dirname, "../.."),
    env: { PATH: process.env.PATH, [keyVariable]: key },
  });
  return stdout;
}
