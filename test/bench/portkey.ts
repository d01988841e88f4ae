/** Portkey's gateway from npm, installed for the run. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { unassignedPort } from "#test/support/unassigned-port.ts";
import { startProgram } from "./program.ts";
import type { Side } from "./rounds.ts";

const portkey = {
  name: "@portkey-ai/gateway",
  version: "1.15.2",
  // As its own lock file has them. With newer ones, which its package allows, every stream fails ("immutable").
  overrides: { "@hono/node-server": "1.13.5", hono: "4.9.7" },
};

/** As the table names it. */
export const portkeyName = `Portkey ${portkey.version}`;

/**
 * Installs it into a folder that is removed at the end. Starts it as its own `npm run start:node` does, and points it to
 * the provider at `url`. `tell` hears of each step. The disposal of `parts` ends it.
 */
export async function startPortkey(
  url: string,
  tell: (text: string) => void,
  parts: AsyncDisposableStack,
): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), "portkey-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { name, version, overrides } = portkey;
  const wanted = { private: true, dependencies: { [name]: version }, overrides };
  writeFileSync(join(folder, "package.json"), JSON.stringify(wanted));
  tell(`installing ${name} ${version}`);
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];
  await promisify(execFile)("npm", words, { cwd: folder });
  const entry = join(folder, "node_modules", name, "build/start-server.js");
  const port = await unassignedPort();
  tell(`starting ${portkeyName}`);
  const program = {
    name: portkeyName,
    command: process.execPath,
    words: [entry, "--headless", `--port=${port}`],
    env: { NODE_ENV: "production" },
    startMs: 20_000,
  };
  return {
    url: `http://127.0.0.1:${port}`,
    key: "bench",
    headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": `${url}/v1` },
    pid: await startProgram(program, port, parts),
  };
}
